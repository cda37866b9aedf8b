#include "mime/imap_text.hpp"

#include "base/unicode.hpp"

namespace muhur::mime::test {
namespace {

std::string string(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (plain) return fmt::format("\"{}\"", text);
  return fmt::format("{{{}}}\r\n{}", text.size(), text);
}

std::string nstring(const std::optional<std::string>& text) { return text ? string(*text) : "NIL"; }

// Names and subjects are for people: runs of white space become one space.
std::string nstring_for_humans(const std::optional<std::string>& text) {
  if (!text) return "NIL";
  std::string out;
  for (const char c : *text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return string(out);
}

std::string addresses(const std::vector<Address>& list) {
  if (list.empty()) return "NIL";
  std::string out = "(";
  for (const Address& a : list)
    out += fmt::format("({} {} {} {})", nstring_for_humans(a.name), nstring(a.route), nstring(a.mailbox),
                       nstring(a.host));
  return out + ")";
}

std::string parameters(const Parameters& list, bool add_charset) {
  std::string out;
  bool charset = false;
  for (const auto& [name, value] : list) {
    out += fmt::format("{}{} {}", out.empty() ? "" : " ", string(name), string(value));
    charset = charset || name == "charset";
  }
  if (add_charset && !charset) out += out.empty() ? "\"charset\" \"us-ascii\"" : " \"charset\" \"us-ascii\"";
  return out.empty() ? "NIL" : "(" + out + ")";
}

std::string extension(const Part& part) {
  std::string out = part.disposition ? fmt::format(" ({} {})", string(*part.disposition),
                                                   parameters(part.disposition_parameters, false))
                                     : " NIL";
  if (part.language.empty()) {
    out += " NIL";
  } else {
    out += " (";
    for (const auto& tag : part.language) out += (&tag == &part.language.front() ? "" : " ") + string(tag);
    out += ")";
  }
  return out + " " + nstring(part.location);
}

std::string part_text(const Structure& structure, const Part& part) {
  std::string out = "(";
  if (part.kind == Part::Kind::multipart) {
    for (const auto child : part.children) out += part_text(structure, structure.parts[child]);
    if (part.children.empty())
      out += "(\"text\" \"plain\" (\"charset\" \"us-ascii\") NIL NIL \"7bit\" 0 0 NIL NIL NIL NIL)";
    return out + " " + string(part.subtype) + " " + parameters(part.parameters, false) + extension(part) +
           ")";
  }
  const bool text = equals_ignoring_case(part.type, "text");
  out += fmt::format("{} {} {} {} {} {} {}", string(part.type), string(part.subtype),
                     parameters(part.parameters, text), nstring(part.id), nstring(part.description),
                     string(part.encoding.empty() ? "7bit" : part.encoding), part.body_size);
  if (text) out += fmt::format(" {}", part.body_lines);
  if (part.kind == Part::Kind::message) {
    const auto child = part.children.at(0);
    out += fmt::format(" {} {} {}", envelope_text(*structure.inner_envelope(child)),
                       part_text(structure, structure.parts[child]), part.body_lines);
  }
  return out + " " + nstring(part.md5) + extension(part) + ")";
}

}  // namespace

std::string envelope_text(const Envelope& e) {
  return fmt::format("({} {} {} {} {} {} {} {} {} {})", nstring(e.date), nstring_for_humans(e.subject),
                     addresses(e.from), addresses(e.sender), addresses(e.reply_to), addresses(e.to),
                     addresses(e.cc), addresses(e.bcc), nstring(e.in_reply_to), nstring(e.message_id));
}

std::string body_structure(const Structure& structure) { return part_text(structure, structure.parts.at(0)); }

}  // namespace muhur::mime::test

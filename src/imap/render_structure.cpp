#include "imap/render_structure.hpp"

#include "base/unicode.hpp"
#include "imap/render_envelope.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

using mime::Part;
using mime::Structure;

void append_parameters(std::string& out, const mime::Parameters& parameters, bool default_charset) {
  bool first = true, has_charset = false;
  const auto add = [&](std::string_view name, std::string_view value) {
    out.push_back(first ? '(' : ' ');
    first = false;
    append_message_text(out, name);
    out.push_back(' ');
    append_message_text(out, value);
  };
  for (const auto& [name, value] : parameters) {
    has_charset |= equals_ignoring_case(name, "charset");
    add(name, value);
  }
  if (default_charset && !has_charset) add("charset", "us-ascii");  // RFC 2045 §5.2
  out.append(first ? "NIL" : ")");
}

// Disposition, language and location: the end of the extension fields of both kinds.
void append_extension_tail(std::string& out, const Part& part) {
  out.push_back(' ');
  if (part.disposition) {
    out.push_back('(');
    append_message_text(out, *part.disposition);
    out.push_back(' ');
    append_parameters(out, part.disposition_parameters, false);
    out.push_back(')');
  } else {
    out.append("NIL");
  }
  out.push_back(' ');
  if (part.language.empty()) {
    out.append("NIL");
  } else {
    for (std::size_t i = 0; i < part.language.size(); ++i) {
      out.push_back(i == 0 ? '(' : ' ');
      append_message_text(out, part.language[i]);
    }
    out.push_back(')');
  }
  out.push_back(' ');
  append_message_nstring(out, part.location);
}

void append_part(std::string& out, const Structure& structure, std::uint32_t index, bool extended);

void append_multipart(std::string& out, const Structure& structure, const Part& part, bool extended) {
  if (part.children.empty()) {
    // The grammar wants one part at least.
    out.append("(\"text\" \"plain\" (\"charset\" \"us-ascii\") NIL NIL \"7bit\" 0 0");
    out.append(extended ? " NIL NIL NIL NIL)" : ")");
  }
  for (const std::uint32_t child : part.children) append_part(out, structure, child, extended);
  out.push_back(' ');
  append_message_text(out, part.subtype);
  if (!extended) return;
  out.push_back(' ');
  append_parameters(out, part.parameters, false);
  append_extension_tail(out, part);
}

void append_single(std::string& out, const Structure& structure, std::uint32_t index, bool extended) {
  const Part& part = structure.parts[index];
  const bool text = equals_ignoring_case(part.type, "text");
  append_message_text(out, part.type);
  out.push_back(' ');
  append_message_text(out, part.subtype);
  out.push_back(' ');
  append_parameters(out, part.parameters, text);
  out.push_back(' ');
  append_message_nstring(out, part.id);
  out.push_back(' ');
  append_message_nstring(out, part.description);
  out.push_back(' ');
  append_message_text(out,
                      part.encoding.empty() ? std::string_view("7bit") : std::string_view(part.encoding));
  out.push_back(' ');
  append_number(out, part.body_size);
  if (part.kind == Part::Kind::message && !part.children.empty()) {
    const std::uint32_t inside = part.children.front();
    static const mime::Envelope kNone;
    const auto* envelope = structure.inner_envelope(inside);
    out.push_back(' ');
    append_envelope(out, envelope ? *envelope : kNone);
    out.push_back(' ');
    append_part(out, structure, inside, extended);
    out.push_back(' ');
    append_number(out, part.body_lines);
  } else if (text) {
    out.push_back(' ');
    append_number(out, part.body_lines);
  }
  if (!extended) return;
  out.push_back(' ');
  append_message_nstring(out, part.md5);
  append_extension_tail(out, part);
}

void append_part(std::string& out, const Structure& structure, std::uint32_t index, bool extended) {
  const Part& part = structure.parts[index];
  out.push_back('(');
  if (part.kind == Part::Kind::multipart)
    append_multipart(out, structure, part, extended);
  else
    append_single(out, structure, index, extended);
  out.push_back(')');
}

}  // namespace

void append_structure(std::string& out, const Structure& structure, bool extended) {
  if (structure.parts.empty()) {
    out.append("NIL");
    return;
  }
  append_part(out, structure, 0, extended);
}

}  // namespace muhur::imap

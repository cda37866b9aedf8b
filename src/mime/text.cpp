#include "mime/text.hpp"

#include <optional>

#include "base/unicode.hpp"
#include "mime/header.hpp"

namespace muhur::mime {
namespace {

// A part's octets, within the message whatever the structure says.
ByteView slice(ByteView message, std::uint64_t start, std::uint64_t size) {
  start = std::min<std::uint64_t>(start, message.size());
  return message.subspan(start, std::min<std::uint64_t>(size, message.size() - start));
}

void cut_to(std::string& utf8, std::size_t max_bytes) {
  if (utf8.size() <= max_bytes) return;
  std::size_t size = max_bytes;
  while (size > 0 && (static_cast<unsigned char>(utf8[size]) & 0xC0) == 0x80) --size;
  utf8.resize(size);
}

bool is_text(const Part& part) {
  if (part.kind != Part::Kind::leaf) return false;
  // RFC 2045 §5.2: what has no valid type is text/plain.
  return equals_ignoring_case(part.type, "text") || part.type.empty();
}

// <meta charset="…"> or <meta … content="text/html; charset=…"> near the beginning.
std::optional<std::string> html_charset(std::string_view html) {
  const std::string head = to_lower_ascii(html.substr(0, 2048));
  for (std::size_t at = 0; (at = head.find("charset=", at)) != std::string::npos; at += 8) {
    std::size_t start = at + 8;
    while (start < head.size() && (head[start] == '"' || head[start] == '\'' || head[start] == ' ')) ++start;
    const std::size_t end = head.find_first_of("\"'; \t\r\n/>", start);
    const std::string name = head.substr(start, end == std::string::npos ? end : end - start);
    if (!name.empty() && knows_charset(name)) return name;
  }
  return std::nullopt;
}

// By the charset named; else UTF-8 if it can be, else what mail without a charset mostly is.
std::string decode_charset(std::string_view octets, const Part& part, bool is_html) {
  auto charset = parameter_text(part.parameters, "charset");
  if (charset && (equals_ignoring_case(*charset, "us-ascii") || !knows_charset(*charset))) charset.reset();
  if (!charset && is_html) charset = html_charset(octets);
  if (charset)
    if (auto text = from_charset(octets, *charset)) return std::move(*text);
  if (is_utf8(octets)) return std::string(octets);
  return from_charset(octets, "windows-1252").value_or(to_valid_utf8(octets));
}

bool is_message_root(const Structure& structure, const Part& part) {
  return part.parent < 0 ||
         structure.parts[static_cast<std::size_t>(part.parent)].kind == Part::Kind::message;
}

}  // namespace

std::string header_text(ByteView message, const Structure& structure, std::size_t max_bytes) {
  std::string out;
  for (const Part& part : structure.parts) {
    if (!is_message_root(structure, part)) continue;
    FieldReader reader(as_text(slice(message, part.header_start, part.header_size)));
    while (const auto field = reader.next()) {
      if (out.size() >= max_bytes) break;
      out += to_valid_utf8(field->name);
      out += ": ";
      out += decode_words(field->value);
      out += '\n';
    }
  }
  cut_to(out, max_bytes);
  return out;
}

std::string part_name(const Part& part) {
  if (auto name = parameter_text(part.disposition_parameters, "filename")) return std::move(*name);
  return parameter_text(part.parameters, "name").value_or("");
}

std::string part_text(ByteView body, const Part& part) {
  const bool is_html =
      equals_ignoring_case(part.subtype, "html") || equals_ignoring_case(part.subtype, "xhtml+xml");
  const Bytes octets = decode_transfer(body, part.encoding);
  std::string text = decode_charset(as_text(octets), part, is_html);
  return is_html ? html_to_text(text) : text;
}

std::string body_text(ByteView message, const Structure& structure, std::size_t max_bytes) {
  // Base64 of UTF-16 takes three octets for one of text, HTML more by its tags.
  constexpr std::uint64_t kOctetsPerByte = 16, kAtLeast = 256 * 1024;
  std::string out;
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    if (!out.empty()) out += '\n';
    out += text;
  };
  for (const Part& part : structure.parts) {
    if (out.size() >= max_bytes) break;
    add(part_name(part));
    if (!is_text(part)) continue;
    const std::uint64_t enough =
        std::max<std::uint64_t>(kAtLeast, (max_bytes - std::min(max_bytes, out.size())) * kOctetsPerByte);
    add(part_text(slice(message, part.body_start, std::min(part.body_size, enough)), part));
  }
  cut_to(out, max_bytes);
  return out;
}

}  // namespace muhur::mime

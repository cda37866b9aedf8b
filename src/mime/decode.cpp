#include "mime/decode.hpp"

#include "base/unicode.hpp"

namespace muhur::mime {
namespace {

constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kBase64 = [] {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNoDigit);
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

int hex_digit(Byte c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool is_blank(Byte c) { return c == ' ' || c == '\t'; }

// Octets of a line break at `at`, or 0.
std::size_t line_break(ByteView text, std::size_t at) {
  if (at < text.size() && text[at] == '\n') return 1;
  return at + 1 < text.size() && text[at] == '\r' && text[at + 1] == '\n' ? 2 : 0;
}

}  // namespace

Bytes decode_base64(ByteView text) {
  Bytes out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int digits = 0;
  const auto flush = [&] {
    if (digits >= 2) out.push_back(static_cast<Byte>(bits >> (digits * 6 - 8)));
    if (digits == 3) out.push_back(static_cast<Byte>(bits >> 2));
    bits = 0;
    digits = 0;
  };
  for (const Byte c : text) {
    if (c == '=') {
      flush();
      continue;
    }
    const std::uint8_t digit = kBase64[c];
    if (digit == kNoDigit) continue;
    bits = bits << 6 | digit;
    if (++digits < 4) continue;
    out.push_back(static_cast<Byte>(bits >> 16));
    out.push_back(static_cast<Byte>(bits >> 8));
    out.push_back(static_cast<Byte>(bits));
    bits = 0;
    digits = 0;
  }
  flush();
  return out;
}

Bytes decode_quoted_printable(ByteView text) {
  Bytes out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Byte c = text[i];
    if (is_blank(c)) {
      std::size_t end = i + 1;
      while (end < text.size() && is_blank(text[end])) ++end;
      if (end < text.size() && line_break(text, end) == 0)
        out.insert(out.end(), &text[i], &text[i] + (end - i));
      i = end;
      continue;
    }
    if (c != '=') {
      out.push_back(c);
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && is_blank(text[end])) ++end;
    const std::size_t soft = line_break(text, end);
    if (soft != 0 || end == text.size()) {
      i = end + soft;
    } else if (i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<Byte>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 3;
    } else {
      // Whatever blanks were looked at are looked at once more, and then passed over at once.
      out.push_back(c);
      ++i;
    }
  }
  return out;
}

Bytes decode_transfer(ByteView body, std::string_view encoding) {
  if (equals_ignoring_case(encoding, "base64")) return decode_base64(body);
  if (equals_ignoring_case(encoding, "quoted-printable")) return decode_quoted_printable(body);
  return {body.begin(), body.end()};
}

}  // namespace muhur::mime

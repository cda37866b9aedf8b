#include "cli/demo_mime.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/encoding.hpp"

namespace muhur::cli::demo {

std::string date(std::int64_t seconds) {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} +0000", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string encoded_word(std::string_view utf8) {
  constexpr std::size_t kBytesInWord = 42;  // 56 characters of base64 and 12 around them
  std::string out;
  for (std::size_t at = 0; at < utf8.size();) {
    std::size_t end = std::min(at + kBytesInWord, utf8.size());
    while (end < utf8.size() && (static_cast<unsigned char>(utf8[end]) & 0xC0) == 0x80) --end;
    if (!out.empty()) out += "\r\n ";
    out += "=?UTF-8?B?" + to_base64(as_bytes(utf8.substr(at, end - at))) + "?=";
    at = end;
  }
  return out;
}

std::string base64_lines(std::string_view bytes) {
  const std::string all = to_base64(as_bytes(bytes));
  std::string out;
  for (std::size_t at = 0; at < all.size(); at += 76) out += all.substr(at, 76) + "\r\n";
  return out;
}

std::string crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

std::string part(std::string_view head, std::string_view body) {
  return crlf(head) + "\r\n" + std::string(body);
}

std::string multipart(std::string_view subtype_and_parameters, std::string_view boundary,
                      const std::vector<std::string>& parts) {
  std::string out = fmt::format("Content-Type: multipart/{};\r\n boundary=\"{}\"\r\n\r\n",
                                subtype_and_parameters, boundary);
  for (const auto& one : parts) out += fmt::format("--{}\r\n{}\r\n", boundary, one);
  return out + fmt::format("--{}--\r\n", boundary);
}

}  // namespace muhur::cli::demo

#pragma once
// Writing sample mail: just enough to compose demo_messages.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muhur::cli::demo {

// "Mon, 30 Nov 2026 10:00:00 +0000".
std::string date(std::int64_t seconds);
// RFC 2047 in UTF-8 and base64, folded into words of at most 75 characters.
std::string encoded_word(std::string_view utf8);
// Base64 in lines of 76.
std::string base64_lines(std::string_view bytes);
// The text with LF made CRLF.
std::string crlf(std::string_view text);

// "Content-Type: TYPE" and the other lines of a part's head, a blank line, the body.
std::string part(std::string_view head, std::string_view body);
std::string multipart(std::string_view subtype_and_parameters, std::string_view boundary,
                      const std::vector<std::string>& parts);

}  // namespace muhur::cli::demo

#pragma once
// Content-Type, Content-Disposition, Content-Language and their parameters (RFC 2045 §5, RFC 2183,
// RFC 2231, RFC 3282). Linear time but for one sort of the parameters.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mime/structure.hpp"

namespace muhur::mime {

struct ContentType {
  std::string type, subtype;
  Parameters parameters;
};

// nullopt when there is no "type/subtype" or something else than parameters follows it.
std::optional<ContentType> parse_content_type(std::string_view value, std::size_t max_parameters = 100);

// What a Content-Type that parse_content_type refuses says all the same: "text" alone gives type "text",
// other rubbish gives two empty strings.
ContentType salvage_content_type(std::string_view value);

struct Disposition {
  std::string kind;
  Parameters parameters;
};
std::optional<Disposition> parse_disposition(std::string_view value, std::size_t max_parameters = 100);

// The tokens of a Content-Language, before the first that is none.
std::vector<std::string> parse_languages(std::string_view value);

// A Content-Transfer-Encoding: one token and nothing else, or empty.
std::string parse_encoding(std::string_view value);

// The value of a parameter, RFC 2231 and (against the standard, as seen in the wild) RFC 2047 decoded;
// UTF-8. `name` in lower case.
std::optional<std::string> parameter_text(const Parameters& parameters, std::string_view name);

}  // namespace muhur::mime

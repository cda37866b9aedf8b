#pragma once
// application/x-www-form-urlencoded bodies, query strings and cookies, bounded.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace muhur::http {

// Parameters in order. OAuth forbids repeating one (RFC 6749 §3.1): `repeated` tells.
class Form {
 public:
  // invalid: a bad percent escape, more than 200 parameters, or NUL bytes.
  static Result<Form> parse(std::string_view encoded);
  std::optional<std::string_view> get(std::string_view name) const;  // the first; empty values count as given
  std::string_view value(std::string_view name) const { return get(name).value_or(std::string_view{}); }
  std::vector<std::string_view> all(std::string_view name) const;
  bool has(std::string_view name) const { return get(name).has_value(); }
  std::optional<std::string> repeated() const;  // the name of one that stands there twice
  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  void set(std::string name, std::string value);
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }
  std::string encoded() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

std::string percent_encode(std::string_view text);  // RFC 3986 unreserved kept
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space = false);
// Adds parameters to a URI that may have a query already ("?" or "&"), before any fragment.
std::string with_query(std::string_view uri, const Form& parameters);

// The value of a cookie in a Cookie header (RFC 6265 §5.4); the first when there are several.
std::optional<std::string> cookie(std::string_view header, std::string_view name);
struct CookieOptions {
  bool secure = true;
  bool http_only = true;
  std::string_view same_site = "Lax";
  std::string_view path = "/";
  std::optional<long> max_age_s;  // absent: until the browser closes; 0: delete
};
std::string set_cookie(std::string_view name, std::string_view value, const CookieOptions& options);

}  // namespace muhur::http

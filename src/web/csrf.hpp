#pragma once
// Against requests that another site makes a browser send. A form's token is an HMAC over the browser's
// binding cookie and what the form is for; beside it the request must come from this site by its own
// headers (Origin, Sec-Fetch-Site). Thread-safe.

#include <string>
#include <string_view>

#include "base/secret.hpp"
#include "http/form.hpp"
#include "http/message.hpp"

namespace muhur::web {

class Csrf {
 public:
  static constexpr std::string_view kField = "csrf";  // of the form

  // `key`: at least 32 bytes. `origin`: of the issuer, "https://id.example.org", where forms come from.
  Csrf(Secret key, std::string origin);

  // `binding` is the value of the browser's binding cookie; `purpose` one word a form: "login", "consent".
  std::string token(std::string_view binding, std::string_view purpose) const;
  bool matches(std::string_view token, std::string_view binding, std::string_view purpose) const;

  // denied unless the request is from here and its form has the right token. An empty binding is denied.
  Result<void> check(const http::Request& request, const http::Form& form, std::string_view binding,
                     std::string_view purpose) const;
  // The headers alone: Sec-Fetch-Site is same-origin or none where it is sent, Origin is ours where it is
  // sent ("null" is not). Old browsers send neither: the token decides.
  bool from_here(const http::Request& request) const;

  static std::string new_binding();  // 256 random bits

 private:
  Secret key_;
  std::string origin_;
};

}  // namespace muhur::web

#pragma once
// A browser's request: its cookies, its language, and what has to be set on the answer.
//
//   __Host-muhur-session   the SSO session's secret; HttpOnly, SameSite=Lax, until the browser closes
//   __Host-muhur-browser   256 random bits that tie pages and forms to this browser; likewise
// Over plain http (this machine only) both go without the prefix, which browsers take over https alone.

#include "http/form.hpp"
#include "web/services.hpp"

namespace muhur::web {

class Visitor {
 public:
  Visitor(const Services& services, const http::Request& request, std::string_view ui_locales);

  const oidc::Browser& browser() const { return browser_; }
  // `self`: Frame::self. `wanted`: languages that count after what this request itself asked for.
  Frame frame(std::string self = {}, std::string_view wanted = {}) const;
  // A path of ours in the language that was chosen here, where the browser alone would ask for another.
  std::string link(std::string_view path) const;
  std::string token(std::string_view purpose) const {
    return services_.csrf.token(browser_.binding, purpose);
  }
  // The answer with the cookies that go along. `session`: a new SSO secret; empty text: the session's end.
  http::Response send(http::Response response, const std::optional<std::string>& session = {}) const;

 private:
  const Services& services_;
  std::string ui_locales_, accept_language_;
  oidc::Browser browser_;
  bool new_binding_ = false;
};

// A body of application/x-www-form-urlencoded. invalid: another type, or malformed.
Result<http::Form> read_form(const http::Request& request);

// Another site's form was posted here without our cookies: SameSite=Lax holds them back for a POST and sends
// them with a navigation. Asked for again by GET, the browser shows who it is. nullopt: not such a request.
std::optional<http::Response> ask_by_get(const Services& services, const http::Request& request,
                                         const http::Form& form);

// The page for an Error that ends a browser's request.
http::Response failure_page(const Frame& frame, const Error& error);
// A form that is not this browser's, or not from here.
http::Response forbidden_page(const Frame& frame);

}  // namespace muhur::web

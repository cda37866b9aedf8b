// OpenID Connect RP-Initiated Logout 1.0, and the account page's own sign-out.
#include "oidc/discovery.hpp"
#include "web/routes.hpp"
#include "web/signed_out_page.hpp"
#include "web/visitor.hpp"

namespace muhur::web {
namespace {

net::Task<http::Response> logout(const Services& s, http::Request& request) {
  const bool by_get = request.method == "GET";
  auto form = by_get ? http::Form::parse(request.query) : read_form(request);
  const Visitor visitor(s, request, form ? form->value("ui_locales") : "");
  if (!form) co_return failure_page(visitor.frame(), form.error());
  bool confirmed = false;
  if (!by_get && form->has(Csrf::kField)) {  // one of our own forms
    if (!s.csrf.check(request, *form, visitor.browser().binding, "logout"))
      co_return visitor.send(forbidden_page(visitor.frame()));
    if (form->value("decision") == "deny")
      co_return visitor.send(signed_out_page(visitor.frame(), {.stayed = true}));
    confirmed = true;
  } else if (!by_get) {
    if (auto again = ask_by_get(s, request, *form)) co_return std::move(*again);
  }
  const auto outcome = co_await s.provider.logout(std::move(*form), visitor.browser(), confirmed);
  // Never "signed out" to who is not.
  if (outcome.failed)
    co_return failure_page(visitor.frame(), Error{Code::busy, "the session could not be ended", {}});
  if (outcome.confirm) {
    const auto user = co_await s.provider.session_user(visitor.browser());
    SignOutModel model{.pending = outcome.pending,
                       .csrf = visitor.token("logout"),
                       .client_name = outcome.client ? outcome.client->name : "",
                       .user = user ? user->address : ""};
    if (!outcome.redirect.empty()) model.form_targets = {outcome.redirect};
    co_return visitor.send(sign_out_page(visitor.frame(by_get ? request.target : ""), model));
  }
  // The browser's half of the session goes in any case.
  if (!outcome.redirect.empty()) co_return visitor.send(http::Response::redirect(outcome.redirect), "");
  co_return visitor.send(signed_out_page(visitor.frame(), {.sign_in_url = visitor.link("/account/sessions")}),
                         "");
}

}  // namespace

void add_logout_routes(http::Router& router, const Services& services) {
  for (const char* method : {"GET", "POST"})
    router.add(method, oidc::path::kLogout,
               [&services](http::Request& r, const http::Parameters&) { return logout(services, r); });
}

}  // namespace muhur::web

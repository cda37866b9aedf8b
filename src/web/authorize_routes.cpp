// The front channel: an authorization request, the sign-in form, the consent form.
#include "oidc/discovery.hpp"
#include "web/routes.hpp"
#include "web/sign_in_step.hpp"

namespace muhur::web {
namespace {

constexpr std::size_t kLongestLogin = 320;

// A request that was pushed is over in a minute: such a page has no links to itself.
std::string self_of(const http::Request& request, const http::Form& form) {
  return request.method == "GET" && !form.has("request_uri") ? request.target : std::string();
}

net::Task<http::Response> authorize(const Services& s, http::Request& request) {
  const bool by_get = request.method == "GET";
  auto form = by_get ? http::Form::parse(request.query) : read_form(request);
  const Visitor visitor(s, request, form ? form->value("ui_locales") : "");
  if (!form) co_return failure_page(visitor.frame(), form.error());
  if (!by_get)
    if (auto again = ask_by_get(s, request, *form)) co_return std::move(*again);
  const std::string self = self_of(request, *form);
  const auto outcome = co_await s.provider.authorize(std::move(*form), visitor.browser());
  co_return show(visitor, outcome, self);
}

// A sign-in for one of our own pages.
net::Task<http::Response> own_login(const Services& s, const Visitor& visitor, const http::Form& form,
                                    const Return& where) {
  auto proof = co_await s.prove(std::string(form.value("login").substr(0, kLongestLogin)),
                                Secret::from_text(form.value("password")), visitor.browser().peer);
  Result<std::string> session = std::string();
  if (proof)
    session = co_await s.provider.start_session(visitor.browser(), std::move(*proof));
  else
    session = std::unexpected(proof.error());
  if (session) co_return visitor.send(http::Response::redirect(visitor.link(where.path)), *session);
  SignInModel model{.login = std::string(form.value("login").substr(0, kLongestLogin))};
  explain(model, session.error());
  co_return own_sign_in(visitor, where, std::move(model));
}

net::Task<http::Response> login(const Services& s, http::Request& request) {
  const auto form = read_form(request);
  const auto query = http::Form::parse(request.query);
  const Visitor visitor(s, request, form ? form->value("ui_locales") : "");
  if (!form) co_return failure_page(visitor.frame(), form.error());
  if (!s.csrf.check(request, *form, visitor.browser().binding, "login"))
    co_return visitor.send(forbidden_page(visitor.frame()));
  const std::string pending(form->value("pending"));
  if (pending.empty())
    co_return co_await own_login(s, visitor, *form, return_from(query.value_or(http::Form())));

  // A request that is over costs no hash.
  auto shown = s.provider.again(pending, visitor.browser());
  if (shown.kind != oidc::Outcome::Kind::sign_in) co_return show(visitor, shown);
  auto proof = co_await s.prove(std::string(form->value("login").substr(0, kLongestLogin)),
                                Secret::from_text(form->value("password")), visitor.browser().peer);
  if (proof) {
    auto outcome = co_await s.provider.signed_in(pending, visitor.browser(), std::move(*proof));
    if (outcome.kind != oidc::Outcome::Kind::sign_in) co_return show(visitor, outcome);
    // What was right opens mail and nothing else (an app password): the same refusal.
    proof = fail(Code::denied, "not for here");
  }
  SignInModel model{.pending = std::move(shown.pending),
                    .csrf = visitor.token("login"),
                    .client_name = shown.client->name.empty() ? shown.client->id : shown.client->name,
                    .login = std::string(form->value("login").substr(0, kLongestLogin)),
                    .form_targets = {shown.redirect_uri}};
  explain(model, proof.error());
  co_return visitor.send(sign_in_page(visitor.frame({}, shown.ui_locales), model));
}

net::Task<http::Response> consent(const Services& s, http::Request& request) {
  const auto form = read_form(request);
  const Visitor visitor(s, request, form ? form->value("ui_locales") : "");
  if (!form) co_return failure_page(visitor.frame(), form.error());
  if (!s.csrf.check(request, *form, visitor.browser().binding, "consent"))
    co_return visitor.send(forbidden_page(visitor.frame()));
  const bool approved = form->value("decision") == "approve";
  const auto outcome =
      co_await s.provider.consented(std::string(form->value("pending")), visitor.browser(), approved);
  co_return show(visitor, outcome);
}

}  // namespace

void add_authorize_routes(http::Router& router, const Services& services) {
  const auto route = [&](std::string_view method, std::string_view path, auto handle) {
    router.add(method, path, [&services, handle](http::Request& request, const http::Parameters&) {
      return handle(services, request);
    });
  };
  route("GET", oidc::path::kAuthorize, authorize);
  route("POST", oidc::path::kAuthorize, authorize);
  route("POST", "/oauth2/login", login);
  route("POST", "/oauth2/consent", consent);
}

}  // namespace muhur::web

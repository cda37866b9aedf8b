// The device grant's pages: the code, what asks, the decision.
#include "web/device_page.hpp"
#include "web/routes.hpp"
#include "web/sign_in_step.hpp"

namespace muhur::web {
namespace {

net::Task<http::Response> code_form(const Services& s, http::Request& request) {
  const auto query = http::Form::parse(request.query);
  const Visitor visitor(s, request, query ? query->value("ui_locales") : "");
  if (!query) co_return failure_page(visitor.frame(), query.error());
  const std::string code(query->value("user_code"));
  if (!co_await s.provider.session_user(visitor.browser()))
    co_return own_sign_in(visitor, return_to_device(code), {}, request.target);
  co_return visitor.send(
      device_code_page(visitor.frame(request.target), {.csrf = visitor.token("device"), .user_code = code}));
}

http::Response code_again(const Visitor& visitor, const std::string& code, const Error& error) {
  using Trouble = DeviceCodeModel::Trouble;
  if (error.code != Code::not_found && error.code != Code::busy)
    return visitor.send(failure_page(visitor.frame(), error));
  DeviceCodeModel model{.csrf = visitor.token("device"), .user_code = code, .trouble = Trouble::unknown};
  if (error.code == Code::busy) {
    model.trouble = Trouble::wait;
    model.retry_after_s = std::max(1L, wait_of(error));
  }
  return visitor.send(device_code_page(visitor.frame(), model));
}

net::Task<http::Response> decide(const Services& s, http::Request& request) {
  const auto form = read_form(request);
  const Visitor visitor(s, request, form ? form->value("ui_locales") : "");
  if (!form) co_return failure_page(visitor.frame(), form.error());
  if (!s.csrf.check(request, *form, visitor.browser().binding, "device"))
    co_return visitor.send(forbidden_page(visitor.frame()));
  const std::string code(form->value("user_code"));
  const auto user = co_await s.provider.session_user(visitor.browser());
  if (!user) co_return own_sign_in(visitor, return_to_device(code));
  const auto asks = co_await s.provider.find_device(code, visitor.browser());
  if (!asks) co_return code_again(visitor, code, asks.error());
  const std::string name = asks->client->name.empty() ? asks->client->id : asks->client->name;
  if (!form->has("decision"))
    co_return visitor.send(device_confirm_page(visitor.frame(), {.csrf = visitor.token("device"),
                                                                 .user_code = asks->user_code,
                                                                 .client_name = name,
                                                                 .user = user->address,
                                                                 .scopes = asks->scopes}));
  const bool approved = form->value("decision") == "approve";
  const auto done = co_await s.provider.decide_device(code, visitor.browser(), approved);
  if (!done) co_return code_again(visitor, code, done.error());
  co_return visitor.send(device_done_page(visitor.frame(), approved, name));
}

}  // namespace

void add_device_routes(http::Router& router, const Services& services) {
  router.add("GET", "/device",
             [&services](http::Request& r, const http::Parameters&) { return code_form(services, r); });
  router.add("POST", "/device",
             [&services](http::Request& r, const http::Parameters&) { return decide(services, r); });
}

}  // namespace muhur::web

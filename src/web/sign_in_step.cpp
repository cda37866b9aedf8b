#include "web/sign_in_step.hpp"

#include "web/consent_page.hpp"
#include "web/error_page.hpp"
#include "web/form_post_page.hpp"

namespace muhur::web {
namespace {

constexpr std::size_t kLongestUserCode = 32;

std::string name_of(const oidc::Client* client) {
  if (!client) return {};
  return client->name.empty() ? client->id : client->name;
}

http::Response respond(const Frame& frame, const oidc::Outcome& outcome) {
  if (outcome.form_post)
    return form_post_page(frame, {.redirect_uri = outcome.redirect_uri,
                                  .parameters = outcome.parameters,
                                  .client_name = name_of(outcome.client.get())});
  return http::Response::redirect(http::with_query(outcome.redirect_uri, outcome.parameters));
}

}  // namespace

http::Response show(const Visitor& visitor, const oidc::Outcome& outcome, std::string self) {
  using Kind = oidc::Outcome::Kind;
  const Frame frame = visitor.frame(std::move(self), outcome.ui_locales);
  const oidc::Client* client = outcome.client.get();
  switch (outcome.kind) {
    case Kind::respond:
      return visitor.send(respond(frame, outcome), outcome.set_session);
    case Kind::sign_in:
      return visitor.send(sign_in_page(frame, {.pending = outcome.pending,
                                               .csrf = visitor.token("login"),
                                               .client_name = name_of(client),
                                               .login = outcome.login_hint,
                                               .form_targets = {outcome.redirect_uri}}),
                          outcome.set_session);
    case Kind::consent:
      return visitor.send(consent_page(frame, {.pending = outcome.pending,
                                               .csrf = visitor.token("consent"),
                                               .client_name = name_of(client),
                                               .client_uri = client ? client->client_uri : "",
                                               .policy_uri = client ? client->policy_uri : "",
                                               .tos_uri = client ? client->tos_uri : "",
                                               .user = outcome.user ? outcome.user->address : "",
                                               .scopes = outcome.scopes,
                                               .form_targets = {outcome.redirect_uri}}),
                          outcome.set_session);
    case Kind::error_page:
      break;
  }
  ErrorModel model{.status = outcome.error.status,
                   .code = outcome.error.code,
                   .description = outcome.error.description,
                   .client_name = name_of(client),
                   .client_uri = client ? client->client_uri : "",
                   .retry_after_s = outcome.error.retry_after_s};
  if (outcome.page_is_over) model.kind = ErrorModel::Kind::over;
  if (model.status == 503) model.kind = ErrorModel::Kind::busy;
  if (model.status == 500) model.kind = ErrorModel::Kind::failed;
  return visitor.send(error_page(frame, model), outcome.set_session);
}

Return return_to_sessions() { return {"/oauth2/login", "/account/sessions"}; }

Return return_to_device(std::string_view user_code) {
  if (user_code.empty() || user_code.size() > kLongestUserCode) return {"/oauth2/login?to=device", "/device"};
  const std::string code = http::percent_encode(user_code);
  return {"/oauth2/login?to=device&user_code=" + code, "/device?user_code=" + code};
}

Return return_from(const http::Form& query) {
  return query.value("to") == "device" ? return_to_device(query.value("user_code")) : return_to_sessions();
}

http::Response own_sign_in(const Visitor& visitor, const Return& where, SignInModel model, std::string self) {
  model.action = where.action;
  model.csrf = visitor.token("login");
  return visitor.send(sign_in_page(visitor.frame(std::move(self)), model));
}

void explain(SignInModel& model, const Error& error) {
  using Trouble = SignInModel::Trouble;
  model.retry_after_s = wait_of(error);
  if (error.code == Code::denied)
    model.trouble = Trouble::refused;
  else
    model.trouble = model.retry_after_s > 0 ? Trouble::wait : Trouble::busy;
  if (model.trouble == Trouble::busy) model.retry_after_s = 2;
}

}  // namespace muhur::web

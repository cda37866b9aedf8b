// What clients ask directly with their own credentials: tokens, pushed requests, device codes, introspection
// and revocation.
#include "oidc/discovery.hpp"
#include "web/oauth_reply.hpp"
#include "web/routes.hpp"
#include "web/visitor.hpp"

namespace muhur::web {
namespace {

using oidc::Provider;

// The form that `request` points to outlives it.
std::expected<oidc::TokenRequest, oidc::OAuthError> direct_request(const Services& s,
                                                                   const http::Request& request,
                                                                   const http::Form& form,
                                                                   std::string* fresh_nonce = nullptr) {
  oidc::TokenRequest direct;
  auto authorization = only_header(request, "Authorization");
  if (!authorization) return std::unexpected(std::move(authorization).error());
  auto dpop = only_header(request, "DPoP");
  if (!dpop) return std::unexpected(std::move(dpop).error());
  direct.presented = {std::move(*authorization), &form};
  direct.dpop = std::move(*dpop);
  direct.fresh_nonce = fresh_nonce;
  direct.url = s.provider.options().issuer + request.path;
  return direct;
}

oidc::OAuthError bad_form(const Error& error) {
  return {.code = "invalid_request", .description = error.what};
}

using Ask = net::Task<oidc::JsonAnswer> (Provider::*)(oidc::TokenRequest);

net::Task<http::Response> ask(const Services& s, http::Request& request, Ask method, int status) {
  const auto form = read_form(request);
  if (!form) co_return reply(bad_form(form.error()));
  std::string fresh_nonce;
  auto direct = direct_request(s, request, *form, &fresh_nonce);
  if (!direct) co_return reply(direct.error());
  const auto answer = co_await (s.provider.*method)(std::move(*direct));
  co_return with_nonce(reply(answer, status), fresh_nonce);
}

// As a form, and as JSON by whoever holds a token ({"token":"…"} with Authorization: Bearer).
net::Task<http::Response> introspect(const Services& s, http::Request& request) {
  const auto authorization = request.headers.get("Authorization").value_or("");
  if (credentials_of(authorization, "Bearer").empty() || read_form(request))
    co_return co_await ask(s, request, &Provider::introspect, 200);
  const auto object = read_json(request);
  if (!object) co_return reply(object.error());
  http::Form form;
  for (const auto& [name, value] : *object)
    if (value.is_string()) form.add(std::string(name), std::string(value.get_string()));
  auto direct = direct_request(s, request, form);
  if (!direct) co_return reply(direct.error());
  const auto answer = co_await s.provider.introspect(std::move(*direct));
  co_return reply(answer);
}

net::Task<http::Response> revoke(const Services& s, http::Request& request) {
  const auto form = read_form(request);
  if (!form) co_return reply(bad_form(form.error()));
  auto direct = direct_request(s, request, *form);
  if (!direct) co_return reply(direct.error());
  const auto done = co_await s.provider.revoke(std::move(*direct));
  if (!done) co_return reply(done.error());
  co_return http::Response().with("Cache-Control", "no-store");
}

}  // namespace

void add_token_routes(http::Router& router, const Services& services) {
  constexpr http::RouteOptions kFromBrowsers{.cross_origin = true};  // single-page clients
  const auto asks = [&](std::string_view path, Ask method, int status, http::RouteOptions options = {}) {
    router.add(
        "POST", path,
        [&services, method, status](http::Request& r, const http::Parameters&) {
          return ask(services, r, method, status);
        },
        options);
  };
  asks(oidc::path::kToken, &Provider::token, 200, kFromBrowsers);
  asks(oidc::path::kPar, &Provider::push, 201);
  asks(oidc::path::kDevice, &Provider::device_authorize, 200);
  router.add("POST", oidc::path::kIntrospect,
             [&services](http::Request& r, const http::Parameters&) { return introspect(services, r); });
  router.add(
      "POST", oidc::path::kRevoke,
      [&services](http::Request& r, const http::Parameters&) { return revoke(services, r); }, kFromBrowsers);
}

}  // namespace muhur::web

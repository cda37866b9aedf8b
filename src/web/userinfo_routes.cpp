// OpenID Connect Core §5.3. The token comes in the Authorization header, or in the body of a POST (RFC 6750
// §2.2); never in the address, where logs keep it.
#include "oidc/discovery.hpp"
#include "web/oauth_reply.hpp"
#include "web/routes.hpp"
#include "web/visitor.hpp"

namespace muhur::web {
namespace {

oidc::OAuthError two_ways() {
  return {.code = "invalid_request",
          .description = "the access token is there twice",
          .status = 400,
          .www_authenticate = R"(Bearer error="invalid_request")"};
}

net::Task<http::Response> userinfo(const Services& s, http::Request& request) {
  const auto authorization = only_header(request, "Authorization");
  if (!authorization) co_return reply(two_ways());
  const auto dpop = only_header(request, "DPoP");
  if (!dpop) co_return reply(dpop.error());
  const bool dpop_scheme = !credentials_of(*authorization, "DPoP").empty();
  std::string bearer(credentials_of(*authorization, dpop_scheme ? "DPoP" : "Bearer"));
  if (request.method == "POST") {
    const auto form = read_form(request);
    const auto in_body = form ? form->all("access_token") : std::vector<std::string_view>();
    if (in_body.size() > 1 || (!in_body.empty() && !authorization->empty())) co_return reply(two_ways());
    if (!in_body.empty()) bearer = in_body[0];
  }
  if (bearer.empty()) {
    // RFC 6750 §3.1: no error code for who has shown nothing.
    http::Response response;
    response.status = 401;
    co_return response.with("WWW-Authenticate", "Bearer").with("Cache-Control", "no-store");
  }
  oidc::TokenRequest direct;
  direct.presented.authorization = *authorization;
  direct.dpop = *dpop;
  direct.url = s.provider.options().issuer + request.path;
  std::string fresh_nonce;
  direct.fresh_nonce = &fresh_nonce;
  const auto info =
      co_await s.provider.userinfo(std::move(bearer), dpop_scheme, std::move(direct), request.method);
  if (!info) co_return with_nonce(reply(info.error()), fresh_nonce);
  if (info->jwt.empty()) co_return with_nonce(reply(info->claims), fresh_nonce);
  auto response = http::Response::text(200, info->jwt);
  response.with("Content-Type", "application/jwt").with("Cache-Control", "no-store");
  co_return with_nonce(std::move(response), fresh_nonce);
}

}  // namespace

void add_userinfo_routes(http::Router& router, const Services& services) {
  for (const char* method : {"GET", "POST"})
    router.add(method, oidc::path::kUserinfo,
               [&services](http::Request& r, const http::Parameters&) { return userinfo(services, r); },
               {.cross_origin = true});
}

}  // namespace muhur::web

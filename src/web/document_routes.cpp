// What everybody may read: the metadata and the public keys.
#include "oidc/discovery.hpp"
#include "web/routes.hpp"

namespace muhur::web {
namespace {

net::Task<http::Response> discovery(const Services& s) {
  auto response = http::Response::json(200, s.provider.discovery());
  co_return response.with("Cache-Control", "public, max-age=300");
}

// A key is published a day before it signs (oidc/signing_keys.hpp), so an hour old copy knows it.
net::Task<http::Response> jwks(const Services& s, http::Request& request) {
  const std::string etag = s.provider.jwks_etag();
  auto response = http::Response::json(200, s.provider.jwks());
  response.with("ETag", etag).with("Cache-Control", "public, max-age=3600");
  if (request.headers.get("If-None-Match") == etag) {
    response.status = 304;
    response.body.clear();
    response.headers.remove("Content-Type");
  }
  co_return response;
}

}  // namespace

void add_document_routes(http::Router& router, const Services& services) {
  constexpr http::RouteOptions kForAll{.cross_origin = true};
  for (const char* path : {"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"})
    router.add(
        "GET", path, [&services](http::Request&, const http::Parameters&) { return discovery(services); },
        kForAll);
  router.add(
      "GET", oidc::path::kJwks,
      [&services](http::Request& r, const http::Parameters&) { return jwks(services, r); }, kForAll);
}

}  // namespace muhur::web

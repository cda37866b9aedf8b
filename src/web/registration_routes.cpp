// Dynamic registration (RFC 7591) and its management (RFC 7592).
#include "oidc/discovery.hpp"
#include "web/oauth_reply.hpp"
#include "web/routes.hpp"

namespace muhur::web {
namespace {

net::Task<http::Response> enroll(const Services& s, http::Request& request) {
  const auto authorization = only_header(request, "Authorization");
  if (!authorization) co_return reply(authorization.error());
  auto metadata = read_json(request);
  if (!metadata) co_return reply(metadata.error());
  const auto answer = co_await s.provider.register_client(
      std::string(credentials_of(*authorization, "Bearer")), std::move(*metadata));
  co_return reply(answer, 201);
}

net::Task<http::Response> manage(const Services& s, http::Request& request, std::string id) {
  const auto authorization = only_header(request, "Authorization");
  if (!authorization) co_return reply(authorization.error());
  boost::json::object metadata;
  if (request.method == "PUT") {
    auto read = read_json(request);
    if (!read) co_return reply(read.error());
    metadata = std::move(*read);
  }
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  const auto answer = co_await s.provider.manage_client(std::string(credentials_of(*authorization, "Bearer")),
                                                        std::move(id), method, std::move(metadata));
  if (!answer || method != "DELETE") co_return reply(answer);
  http::Response gone;
  gone.status = 204;
  co_return gone.with("Cache-Control", "no-store");
}

}  // namespace

void add_registration_routes(http::Router& router, const Services& services) {
  router.add("POST", oidc::path::kRegister,
             [&services](http::Request& r, const http::Parameters&) { return enroll(services, r); });
  for (const char* method : {"GET", "PUT", "DELETE"})
    router.add(method, std::string(oidc::path::kRegister) + "/{id}",
               [&services](http::Request& r, const http::Parameters& p) {
                 return manage(services, r, p.find("id")->second);
               });
}

}  // namespace muhur::web

#include "http/server.hpp"

#include "http/session.hpp"
#include "http/target.hpp"

namespace muhur::http {

Shared::Shared(const Router& r, ServerOptions o)
    : router(r), options(std::move(o)), proxies(options.trusted_proxies, options.proxy_header) {
  for (const auto& host : options.hosts) hosts.push_back(canonical_authority(host));
}

bool Shared::knows_host(std::string_view authority) const {
  if (hosts.empty()) return true;
  const std::string canonical = canonical_authority(authority);
  if (canonical.empty()) return false;
  const auto name = host_without_port(canonical);
  return std::ranges::any_of(hosts,
                             [&](const std::string& host) { return host == canonical || host == name; });
}

Response Shared::refusal(const Request& request, int status) const {
  Response response = options.refusal
                          ? options.refusal(request, status)
                          : Response::text(status, fmt::format("{} {}\n", status, reason_of(status)));
  response.status = status;
  if (status == 503 && !response.headers.get("Retry-After")) response.headers.set("Retry-After", "1");
  return response;
}

struct Server::Impl : Shared {
  using Shared::Shared;
};

Server::Server(const Router& router, ServerOptions options)
    : impl_(std::make_shared<Impl>(router, std::move(options))) {}
Server::~Server() = default;

net::Task<void> Server::serve(net::StreamPtr stream) {
  return Session::run(std::make_shared<Session>(impl_, std::move(stream)));
}

void Server::trust(const std::vector<std::string>& proxies, ProxyHeader header) {
  impl_->proxies.set(proxies, header);
}

void Server::drain() {
  impl_->draining = true;
  std::vector<std::shared_ptr<Session>> sessions;
  {
    const Lock lock(impl_->mutex);
    for (const auto& [_, weak] : impl_->sessions)
      if (auto session = weak.lock()) sessions.push_back(std::move(session));
  }
  for (const auto& session : sessions) session->close_if_idle();
}

}  // namespace muhur::http

// For whoever watches the server: /healthz (it answers), /readyz (it takes new work), /metrics (numbers, for
// this machine and the networks that the configuration names; to others it is not there).
#include "base/metrics.hpp"
#include "http/proxies.hpp"
#include "web/error_page.hpp"
#include "web/routes.hpp"

namespace muhur::web {
namespace {

http::Response plain(int status, std::string text) {
  return http::Response::text(status, std::move(text)).with("Cache-Control", "no-store");
}

net::Task<http::Response> alive() { co_return plain(200, "ok\n"); }

net::Task<http::Response> ready(const Services& s) {
  if (!s.ready || s.ready()) co_return plain(200, "ready\n");
  co_return plain(503, "stopping\n").with("Retry-After", "5");
}

// A web server on this machine that we were not told to trust looks like the machine itself; what it adds to
// requests gives it away. Its visitors are from anywhere.
bool is_from_here(const http::Request& request) {
  if (!request.peer.loopback) return false;
  for (const auto* name : {"X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via"})
    if (request.headers.count(name) > 0) return false;
  return true;
}

net::Task<http::Response> numbers(const Services& s, http::Request& request,
                                  const http::TrustedProxies& networks) {
  if (!is_from_here(request) && !networks.contains(request.peer.address))
    co_return error_page({s.site, english(), {}}, {.kind = ErrorModel::Kind::not_found, .status = 404});
  co_return plain(200, metrics::prometheus_text())
      .with("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
}

}  // namespace

void add_health_routes(http::Router& router, const Services& services) {
  router.add("GET", "/healthz", [](http::Request&, const http::Parameters&) { return alive(); });
  router.add("GET", "/readyz",
             [&services](http::Request&, const http::Parameters&) { return ready(services); });
  auto networks = std::make_shared<http::TrustedProxies>(services.metrics_networks);
  router.add("GET", "/metrics", [&services, networks](http::Request& r, const http::Parameters&) {
    return numbers(services, r, *networks);
  });
}

}  // namespace muhur::web

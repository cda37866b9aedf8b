#pragma once
// HTTP/1.1 over net::Stream: keep-alive, limits and time-outs on everything, graceful drain. Beast parses
// bytes and does nothing else. An exception or an Error of a handler becomes a 500 or 503 here.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/proxies.hpp"
#include "http/router.hpp"

namespace muhur::http {

struct ServerOptions {
  std::size_t max_header = 16 * 1024;
  std::size_t max_target = 8 * 1024;
  std::chrono::milliseconds header_timeout{10'000};  // from the first byte of a request
  std::chrono::milliseconds body_timeout{20'000};
  std::chrono::milliseconds idle_timeout{75'000};  // between requests
  std::chrono::milliseconds write_timeout{30'000};
  std::size_t max_requests = 100'000;        // of one connection
  std::vector<std::string> hosts;            // accepted Host names (with or without port); empty: any
  std::vector<std::string> trusted_proxies;  // CIDR blocks of those who may speak for others, and in which
  ProxyHeader proxy_header = ProxyHeader::either;  // header (http/proxies.hpp)
  std::function<void(Response&)> finish;           // last hand on every response (security headers)
  // What is answered where there is no handler or the request is refused (400, 404, 405, 413, 421, 500 …);
  // empty: a line of text. Allow, Retry-After and Connection are added to it. It must not throw.
  std::function<Response(const Request&, int status)> refusal;
};

class Server {
 public:
  Server(const Router& router, ServerOptions options);
  ~Server();
  // Returns when the connection has ended. The router outlives it; the Server itself need not.
  net::Task<void> serve(net::StreamPtr stream);
  // Requests under way are finished, then their connections close; those between requests close now.
  // Thread-safe.
  void drain();
  // Other trusted proxies for requests from now on. Thread-safe.
  void trust(const std::vector<std::string>& proxies, ProxyHeader header);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Whether `text` is a network that trusted_proxies may name: "192.0.2.0/24", "2001:db8::1", or "unix" for
// peers at a Unix socket. invalid says what is wrong. One that is not is never trusted.
Result<void> check_network(std::string_view text);

}  // namespace muhur::http

#pragma once
// The sign-in service of one server: the provider, its routes, and HTTP in front of it.

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "mail/post_office.hpp"
#include "oidc/provider.hpp"
#include "server/config.hpp"

namespace muhur::server {

// The configured issuer; without one, the address of a listener on this machine: "http://127.0.0.1:8080", or
// the host's name where HTTPS is offered. invalid: browsers could not know where to go.
// `port`, `tls`: of the first HTTP listener.
Result<std::string> issuer_of(const Config& config, const std::string& host, std::uint16_t port, bool tls);

class Identity {
 public:
  // `office`, its pools and `io` outlive it. invalid names a bad setting.
  static Result<std::unique_ptr<Identity>> open(const Config& config, std::string issuer,
                                                mail::PostOffice& office, boost::asio::io_context& io);
  ~Identity();

  net::Task<void> serve(net::StreamPtr stream);
  // From now on /readyz says no.
  void stop_soon();
  // The same; and connections between requests close, others when they are done.
  void drain();
  // Other trusted proxies from now on. Thread-safe.
  void trust_proxies(const std::vector<std::string>& networks, http::ProxyHeader header);
  // A step of removing what has expired; keys of every algorithm, rotated when they are due. Block.
  void sweep();
  void rotate_keys();
  oidc::Provider& provider();

 private:
  struct Impl;
  explicit Identity(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::server

#pragma once
// The server: opens the data, wires the floors together, listens, drains, stops.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mail/post_office.hpp"
#include "oidc/provider.hpp"
#include "server/config.hpp"

namespace muhur::server {

struct Endpoint {
  std::string name;  // "imap", "imaps", "lmtp", "http", "https"
  std::string host;
  std::uint16_t port = 0;
  std::string path;  // of a Unix socket; then host is empty
};

class App {
 public:
  // Data first, then the ports: nobody is accepted before start(). Any error leaves nothing behind.
  // `reread`: the configuration again, as SIGHUP asks for it; without it only the certificate is read again.
  using Reread = std::function<Result<Config>()>;
  static Result<std::unique_ptr<App>> open(Config config, Reread reread = {});
  ~App();

  mail::PostOffice& office();
  oidc::Provider* provider();  // null: no sign-in service is configured
  const Config& config() const;
  std::vector<Endpoint> endpoints() const;

  // Accepts connections, opens the admin socket, tells systemd READY.
  void start();
  // Serves until SIGTERM or SIGINT, then drains: accepts no more, tells every session, waits for them at
  // most config.drain_timeout, closes the rest, closes the data. SIGHUP is reload(). A second
  // SIGTERM ends at once. Returns the exit code.
  int run();
  // What SIGTERM does. Thread-safe.
  void stop();
  // Reads certificate and configuration again. Settings that can change while serving are taken over, the log
  // names those that need a restart; an error in a file leaves all that it holds as it was. Thread-safe.
  void reload();

 private:
  struct Impl;
  explicit App(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::server

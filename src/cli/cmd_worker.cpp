// muhur worker: verifies and hashes passwords for servers elsewhere.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstdio>
#include <thread>

#include "base/log.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "http/server.hpp"
#include "net/listener.hpp"
#include "net/tls_context.hpp"
#include "passwords/worker.hpp"
#include "passwords/worker_secret.hpp"
#include "server/config.hpp"

namespace muhur::cli {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kDrainStep{20};
constexpr std::chrono::seconds kDrainLimit{10};

struct Args {
  std::string listen, secret_file, tls_cert, tls_key;
  std::vector<std::string> metrics_networks;
  std::int64_t threads = 0;
  bool json = false;
};

// Until SIGTERM or SIGINT: then what was asked is answered, for ten seconds at most.
void run_until_told(asio::io_context& io, net::Listener& listener, http::Server& server) {
  asio::signal_set signals(io, SIGTERM, SIGINT);
  asio::steady_timer timer(io);
  auto gives_up_at = std::chrono::steady_clock::time_point::max();
  std::function<void()> drain = [&] {
    if (listener.connections() == 0 || std::chrono::steady_clock::now() >= gives_up_at) return io.stop();
    timer.expires_after(kDrainStep);
    timer.async_wait([&](const boost::system::error_code& error) {
      if (!error) drain();
    });
  };
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (error) return;
    gives_up_at = std::chrono::steady_clock::now() + kDrainLimit;
    listener.stop();
    server.drain();
    drain();
  });
  listener.start();
  io.run();
}

int serve(const Args& args) {
  if (args.listen.empty() || args.secret_file.empty()) {
    std::fputs("muhur: --listen and --secret-file are required\nSee `muhur worker --help`.\n", stderr);
    return kUsage;
  }
  if (args.tls_cert.empty() != args.tls_key.empty()) {
    std::fputs("muhur: --tls-cert and --tls-key go together\n", stderr);
    return kUsage;
  }
  for (const auto& network : args.metrics_networks)
    if (const auto known = http::check_network(network); !known) return report(known.error()), kUsage;
  const auto secret = passwords::read_worker_secret(args.secret_file);
  if (!secret) return report(secret.error());
  const auto address = server::parse_listen(args.listen);
  if (!address) return report(address.error());
  std::unique_ptr<net::TlsContext> tls;
  if (!args.tls_cert.empty()) {
    auto loaded = net::TlsContext::from_files(args.tls_cert, args.tls_key);
    if (!loaded) return report(loaded.error());
    tls = std::move(*loaded);
  }
  if (!harden_process())
    log::warn("worker", "memory for passwords could not be locked", {{"remedy", "raise LimitMEMLOCK"}});

  // What follows goes from the last to the first; the pool before the io_context that its callers wait on.
  asio::io_context io(1);
  http::Router router;
  passwords::HashPool pool({.threads = static_cast<std::size_t>(std::max<std::int64_t>(args.threads, 0))});
  passwords::Worker worker(pool, *secret);
  worker.add_routes(router, args.metrics_networks);
  http::Server server(router, {});
  net::ListenerOptions options;
  options.name = "worker";
  if (address->host.empty())
    options.address = address->unix_path;
  else
    options.address = net::TcpAddress{address->host, address->port};
  options.implicit_tls = tls.get();
  options.max_per_address = options.max_connections;  // all come from a few servers
  const auto listener = net::Listener::bind(
      io, std::move(options), [&](net::StreamPtr stream) { return server.serve(std::move(stream)); });
  if (!listener) return report(listener.error());
  log::info("worker", "listens",
            {{"host", address->host}, {"port", (*listener)->port()}, {"threads", pool.threads()}});
  if (args.json) {
    const boost::json::object ready{
        {"ready", true}, {"host", address->host}, {"port", (*listener)->port()}, {"threads", pool.threads()}};
    std::printf("%s\n", boost::json::serialize(ready).c_str());
    std::fflush(stdout);
  }
  run_until_told(io, **listener, server);
  return kDone;
}

}  // namespace

void describe_worker(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command =
      root.command("worker", "Verifies passwords for servers elsewhere, or tries such workers out.");
  command.option("--listen", "ADDRESS", args->listen,
                 "Where to listen: 10.0.0.2:7080, [::1]:7080, unix:PATH.");
  command.option("--secret-file", "FILE", args->secret_file,
                 "The secret that servers and workers share: 32 bytes or more.");
  command.option("--tls-cert", "FILE", args->tls_cert, "Serves https:// with this certificate (PEM).");
  command.option("--tls-key", "FILE", args->tls_key, "The certificate's key (PEM).");
  command.option("--threads", "N", args->threads,
                 "How many hashes are computed at once. Default: one a core.");
  command.options("--metrics-network", "CIDR", args->metrics_networks,
                  "Who may read /metrics beside this machine: 10.0.0.0/8.");
  command.flag("--json", args->json, "Prints one line of JSON when ready: host, port, threads.");
  command.manual(
      "A worker keeps nothing: no user, no record, no password. Requests and replies are sealed and signed\n"
      "with the shared secret, with and without TLS. SIGTERM: answers what it was asked, then ends with "
      "0.\n"
      "GET /healthz says whether it lives, GET /metrics tells numbers in Prometheus' format.\n\n"
      "Example:  openssl rand -base64 48 > secret && chmod 600 secret\n"
      "          muhur worker --listen 10.0.0.2:7080 --secret-file secret");
  command.run([args] { return serve(*args); });

  describe_worker_test(command);
}

}  // namespace muhur::cli

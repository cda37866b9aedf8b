#include "server/app.hpp"

#include <fmt/format.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "crypto/certificate_expiry.hpp"
#include "imap/server.hpp"
#include "lmtp/server.hpp"
#include "net/listener.hpp"
#include "passwords/verifier.hpp"
#include "passwords/worker_secret.hpp"
#include "server/admin_socket.hpp"
#include "server/data_directory.hpp"
#include "server/housekeeping.hpp"
#include "server/identity.hpp"
#include "server/notify.hpp"
#include "server/operations.hpp"
#include "server/reload.hpp"
#include "server/scheduler.hpp"
#include "server/token_sign_in.hpp"

namespace muhur::server {
namespace {

constexpr Millis kSweepEvery{30'000};
constexpr Millis kRotationLooks{3'600'000};
constexpr Millis kDrainStep{50};
constexpr Millis kLastWait{3'000};  // for sessions whose connection was closed under them

}  // namespace

// Members are destroyed from the last to the first: what serves goes before what it serves from.
struct App::Impl {
  Impl(Config c, Reread r)
      : config(std::move(c)),
        reread(std::move(r)),
        io(static_cast<int>(threads())),
        pools{net::Pool("storage", config.storage_threads),
              net::Pool("passwords", config.password_threads, 10), net::Pool("heavy", 2, 10)},
        control(boost::asio::make_strand(io)),
        signals(control, SIGTERM, SIGINT, SIGHUP),
        drain_timer(control) {}

  std::size_t threads() const {
    return config.io_threads ? config.io_threads : std::max(1u, std::thread::hardware_concurrency());
  }

  Config config;
  const Reread reread;
  boost::asio::io_context io;
  net::Pools pools;
  std::unique_ptr<passwords::HashPool> hashes;
  std::unique_ptr<passwords::Verifier> verifier;
  std::unique_ptr<mail::PostOffice> office;
  std::unique_ptr<net::TlsContext> tls;
  std::unique_ptr<imap::Server> imap;
  std::unique_ptr<lmtp::Server> lmtp;
  std::unique_ptr<Identity> identity;  // null: no sign-in service
  std::vector<std::shared_ptr<net::Listener>> listeners;
  std::vector<Endpoint> endpoints;
  std::unique_ptr<Housekeeping> house;
  std::unique_ptr<Scheduler> scheduler;
  boost::asio::strand<boost::asio::io_context::executor_type> control;  // what follows is touched here only
  boost::asio::signal_set signals;
  boost::asio::steady_timer drain_timer;
  bool stopping = false;
  std::chrono::steady_clock::time_point closes_at, gives_up_at;
  bool closed_all = false;
  bool abandoned = false;

  Result<void> open_passwords();
  Result<void> open_data();
  void note_certificate();
  Result<void> listen(const std::string& name, const std::string& where, net::TlsContext* implicit_tls,
                      net::Listener::Serve serve, unsigned unix_mode, std::string refusal);
  Result<void> listen_all();
  Result<void> listen_http();
  void make_imap();
  void wait_for_signal();
  void reload();
  void take_over(const Config& next);
  void begin_drain();
  void stop_listening();
  void drain_step();
  std::size_t connections() const;
};

Result<void> App::Impl::open_passwords() {
  passwords::VerifierOptions options;
  for (const auto& url : config.workers) options.workers.push_back({url});
  if (!config.workers.empty()) {
    if (config.worker_secret.empty())
      return fail(Code::invalid, "passwords.workers is set and passwords.worker_secret is not",
                  "Name the file with the secret that the workers have");
    MUHUR_TRY(options.worker_secret, passwords::read_worker_secret(config.worker_secret));
  }
  options.ca_file = config.worker_ca.string();
  options.deadline = config.worker_deadline;
  options.local_fallback = config.hash_here_too;
  hashes = std::make_unique<passwords::HashPool>(
      passwords::PoolOptions{.threads = config.password_threads, .max_waiting = config.passwords_waiting});
  verifier = std::make_unique<passwords::Verifier>(io.get_executor(), *hashes, std::move(options));
  return {};
}

// Of the certificate that is in use: read once it was taken.
void App::Impl::note_certificate() {
  static auto& expires = metrics::gauge("muhur_certificate_expiry_timestamp_seconds",
                                        "When the TLS certificate in use expires, since 1970");
  if (const auto at = crypto::certificate_expiry(config.tls_certificate)) expires.set(*at);
}

Result<void> App::Impl::open_data() {
  MUHUR_CHECK(prepare_directories(config.data));
  use_temp_directory(config.data);
  if (!harden_process())
    log::warn("server", "memory for keys could not be locked", {{"remedy", "raise LimitMEMLOCK"}});
  mail::PostOfficeOptions options;
  options.data = config.data;
  options.server_key = config.server_key;
  options.pools = &pools;
  options.argon2 = config.argon2;
  options.lockout = config.lockout;
  options.upgrade_passwords = config.upgrade_passwords;
  options.verifier = verifier.get();
  options.max_message = config.max_message;
  options.max_idle_mailboxes = config.idle_mailboxes;
  MUHUR_TRY(office, open_post_office(std::move(options)));
  MUHUR_TRY(tls, net::TlsContext::from_files(config.tls_certificate, config.tls_key));
  note_certificate();
  return {};
}

Result<void> App::Impl::listen(const std::string& name, const std::string& where,
                               net::TlsContext* implicit_tls, net::Listener::Serve serve, unsigned unix_mode,
                               std::string refusal) {
  MUHUR_TRY(const ListenAddress address, parse_listen(where));
  net::ListenerOptions options;
  options.name = name;
  options.implicit_tls = implicit_tls;
  options.max_connections = config.max_connections;
  options.max_per_address = config.max_connections_per_address;
  options.unix_mode = unix_mode;
  Endpoint endpoint{.name = name, .host = address.host, .port = 0, .path = {}};
  if (address.host.empty()) {
    const auto path = config.data / address.unix_path;  // an absolute path stays as it is
    options.address = path;
    endpoint.path = path.string();
  } else {
    options.address = net::TcpAddress{address.host, address.port};
  }
  MUHUR_TRY(auto listener, net::Listener::bind(io, std::move(options), std::move(serve), std::move(refusal)));
  endpoint.port = listener->port();
  listeners.push_back(std::move(listener));
  endpoints.push_back(std::move(endpoint));
  return {};
}

Result<void> App::Impl::listen_all() {
  lmtp::ServerOptions lmtp_options;
  lmtp_options.host_name = config.host_name;
  lmtp_options.max_message = config.max_message;
  lmtp_options.max_recipients = config.lmtp_max_recipients;
  lmtp_options.command_timeout = config.lmtp_command_timeout;
  lmtp_options.data_timeout = config.lmtp_data_timeout;
  lmtp = std::make_unique<lmtp::Server>(*office, std::move(lmtp_options));

  const auto serve_imap = [this](net::StreamPtr stream) { return imap->serve(std::move(stream)); };
  const auto serve_lmtp = [this](net::StreamPtr stream) { return lmtp->serve(std::move(stream)); };
  const auto serve_admin_socket = [this](net::StreamPtr stream) {
    return serve_admin(*office, std::move(stream), identity ? &identity->provider() : nullptr);
  };
  const std::string imap_full = "* BYE [UNAVAILABLE] Too many connections, try again later\r\n";
  const std::string lmtp_full = "421 4.3.2 Too many connections, try again later\r\n";
  for (const auto& where : config.imap_listen)
    MUHUR_CHECK(listen("imap", where, nullptr, serve_imap, 0600, imap_full));
  for (const auto& where : config.imap_listen_tls)
    MUHUR_CHECK(listen("imaps", where, tls.get(), serve_imap, 0600, imap_full));
  for (const auto& where : config.lmtp_listen)
    MUHUR_CHECK(listen("lmtp", where, nullptr, serve_lmtp, config.lmtp_socket_mode, lmtp_full));
  MUHUR_CHECK(listen("admin", "unix:" + admin_socket_path(config.data).string(), nullptr, serve_admin_socket,
                     0600, ""));
  MUHUR_CHECK(listen_http());
  make_imap();
  return {};
}

// Last: it takes tokens where there is a sign-in service.
void App::Impl::make_imap() {
  imap::ServerOptions options;
  options.tls = tls.get();
  options.plaintext_login_on_loopback = config.imap_plaintext_login_on_loopback;
  options.login_timeout = config.imap_login_timeout;
  options.idle_timeout = config.imap_idle_timeout;
  options.max_append = config.max_message;
  options.max_command = config.imap_max_command;
  if (identity) {
    options.token_sign_in = token_sign_in(*office, identity->provider());
    options.openid_configuration =
        identity->provider().options().issuer + "/.well-known/openid-configuration";
  }
  imap = std::make_unique<imap::Server>(*office, std::move(options));
}

// Ports first: the issuer may have to name the one that the system chose.
Result<void> App::Impl::listen_http() {
  if (config.http_listen.empty() && config.http_listen_tls.empty()) return {};
  const auto first = endpoints.size();
  const auto serve = [this](net::StreamPtr stream) { return identity->serve(std::move(stream)); };
  const std::string full =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  for (const auto& where : config.http_listen) MUHUR_CHECK(listen("http", where, nullptr, serve, 0660, full));
  for (const auto& where : config.http_listen_tls)
    MUHUR_CHECK(listen("https", where, tls.get(), serve, 0660, full));
  const Endpoint& shown = endpoints[first];
  MUHUR_TRY(auto issuer, issuer_of(config, shown.host, shown.port, shown.name == "https"));
  MUHUR_TRY(identity, Identity::open(config, std::move(issuer), *office, io));
  return {};
}

std::size_t App::Impl::connections() const {
  std::size_t count = 0;
  for (const auto& listener : listeners) count += listener->connections();
  return count;
}

void App::Impl::wait_for_signal() {
  signals.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    if (signal == SIGHUP) {
      reload();
    } else if (stopping) {
      std::_Exit(EXIT_FAILURE);  // asked twice; what was acknowledged is durable
    } else {
      begin_drain();
    }
    wait_for_signal();
  });
}

void App::Impl::reload() {
  notify_service_manager("RELOADING=1");
  if (const auto done = tls->reload(); !done) {
    log::error("server", "the certificate stays as it was", {{"why", done.error().text()}});
  } else {
    note_certificate();
    log::info("server", "certificate read again");
  }
  if (reread) {
    if (const auto next = reread())
      take_over(*next);
    else
      log::error("server", "the configuration stays as it was", {{"why", next.error().text()}});
  }
  notify_service_manager("READY=1");
}

void App::Impl::take_over(const Config& next) {
  const Changes changes = compare(config, next);
  copy_live(config, next);
  log::set_level(config.log_level);
  keep_audit_for(config.audit_kept);
  for (const auto& listener : listeners)
    listener->set_caps(config.max_connections, config.max_connections_per_address);
  if (identity) identity->trust_proxies(config.trusted_proxies, config.proxy_header);
  for (const auto& key : changes.live) log::info("server", "a setting has changed", {{"key", key}});
  for (const auto& key : changes.after_restart)
    log::warn("server", "a changed setting needs a restart", {{"key", key}});
}

void App::Impl::begin_drain() {
  if (stopping) return;
  stopping = true;
  notify_service_manager("STOPPING=1");
  log::info("server", "stopping", {{"connections", connections()}});
  if (identity) identity->stop_soon();
  if (config.drain_notice.count() == 0) return stop_listening();
  drain_timer.expires_after(config.drain_notice);
  drain_timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) stop_listening();
  });
}

void App::Impl::stop_listening() {
  for (const auto& listener : listeners) listener->stop();
  imap->shutdown();
  lmtp->shutdown();
  if (identity) identity->drain();
  scheduler->stop();
  house->stop();
  closes_at = std::chrono::steady_clock::now() + config.drain_timeout;
  gives_up_at = closes_at + kLastWait;
  drain_step();
}

void App::Impl::drain_step() {
  const auto now = std::chrono::steady_clock::now();
  const std::size_t left = connections();
  abandoned = left > 0 && now >= gives_up_at;
  if (left == 0 || abandoned) {
    if (abandoned) log::warn("server", "connections were left behind", {{"connections", left}});
    signals.cancel();
    io.stop();
    return;
  }
  if (now >= closes_at && !closed_all) {
    closed_all = true;
    for (const auto& listener : listeners) listener->close_all();
  }
  drain_timer.expires_after(kDrainStep);
  drain_timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) drain_step();
  });
}

Result<std::unique_ptr<App>> App::open(Config config, Reread reread) {
  log::set_level(config.log_level);
  keep_audit_for(config.audit_kept);
  auto impl = std::make_unique<Impl>(std::move(config), std::move(reread));
  impl->scheduler = std::make_unique<Scheduler>(impl->io);
  MUHUR_CHECK(impl->open_passwords());
  MUHUR_CHECK(impl->open_data());
  impl->house = std::make_unique<Housekeeping>(*impl->office);
  MUHUR_CHECK(impl->listen_all());
  return std::unique_ptr<App>(new App(std::move(impl)));
}

App::App(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
App::~App() = default;

mail::PostOffice& App::office() { return *impl_->office; }
oidc::Provider* App::provider() { return impl_->identity ? &impl_->identity->provider() : nullptr; }
const Config& App::config() const { return impl_->config; }

std::vector<Endpoint> App::endpoints() const {
  std::vector<Endpoint> shown;
  for (const auto& endpoint : impl_->endpoints)
    if (endpoint.name != "admin") shown.push_back(endpoint);
  return shown;
}

void App::start() {
  impl_->wait_for_signal();
  impl_->scheduler->every(kSweepEvery, "sweep", impl_->pools.storage, [office = impl_->office.get()] {
    if (const auto swept = office->sweep(); !swept)
      log::warn("server", "sweeping failed", {{"why", swept.error().text()}});
  });
  if (auto* const identity = impl_->identity.get()) {
    impl_->scheduler->every(kSweepEvery, "sweep sessions", impl_->pools.storage,
                            [identity] { identity->sweep(); });
    impl_->scheduler->every(kRotationLooks, "rotate keys", impl_->pools.heavy,
                            [identity] { identity->rotate_keys(); });
    impl_->scheduler->once(impl_->pools.heavy, [identity] { identity->rotate_keys(); });
  }
  impl_->scheduler->every(kHouseOften, "keep house", impl_->pools.heavy,
                          [house = impl_->house.get()] { house->often(); });
  impl_->scheduler->every(kHouseLooks, "keep house daily", impl_->pools.heavy,
                          [house = impl_->house.get()] { house->daily_if_due(); });
  for (const auto& listener : impl_->listeners) listener->start();
  for (const auto& endpoint : impl_->endpoints)
    log::info(
        "server", "listens",
        {{"for", endpoint.name}, {"host", endpoint.host}, {"port", endpoint.port}, {"path", endpoint.path}});
  notify_service_manager("READY=1");
}

int App::run() {
  // Keeps run() busy while nothing is connected.
  const auto work = boost::asio::make_work_guard(impl_->io);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < impl_->threads(); ++i) threads.emplace_back([this] { impl_->io.run(); });
  impl_->io.run();
  for (auto& thread : threads) thread.join();
  // Coroutines that hang would refer to what is destroyed now.
  if (impl_->abandoned) std::_Exit(EXIT_SUCCESS);
  log::info("server", "stopped");
  return EXIT_SUCCESS;
}

void App::stop() {
  boost::asio::post(impl_->control, [this] { impl_->begin_drain(); });
}

void App::reload() {
  boost::asio::post(impl_->control, [this] { impl_->reload(); });
}

}  // namespace muhur::server

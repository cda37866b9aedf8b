#include "server/identity.hpp"

#include <fmt/format.h>

#include <atomic>

#include "accounts/directory.hpp"
#include "base/log.hpp"
#include "crypto/kdf.hpp"
#include "http/server.hpp"
#include "server/databases.hpp"
#include "web/backchannel.hpp"
#include "web/routes.hpp"

namespace muhur::server {
namespace {

constexpr std::size_t kFormKey = 32;

oidc::ProviderOptions provider_options(const Config& config, std::string issuer, net::Pools& pools) {
  const auto seconds = [](Millis time) { return time.count() / 1000; };
  oidc::ProviderOptions options;
  options.issuer = std::move(issuer);
  options.lifetimes.session_idle = seconds(config.session_idle);
  options.lifetimes.session_absolute = seconds(config.session_absolute);
  options.dynamic_registration = config.dynamic_registration;
  options.require_dpop_nonce = config.require_dpop_nonce;
  options.keys.rotate_s = seconds(config.key_rotation);
  options.pools = &pools;
  return options;
}

}  // namespace

Result<std::string> issuer_of(const Config& config, const std::string& host, std::uint16_t port, bool tls) {
  if (!config.http_issuer.empty()) {
    if (web::origin_of(config.http_issuer) != config.http_issuer)
      return fail(Code::invalid, "http.issuer must be an address without a path: " + config.http_issuer,
                  "Write it as https://id.example.org");
    return config.http_issuer;
  }
  if (tls) return fmt::format("https://{}{}", config.host_name, port == 443 ? "" : fmt::format(":{}", port));
  const bool local = host == "127.0.0.1" || host == "::1";
  if (!local)
    return fail(Code::invalid, "http.issuer is not set",
                "Set it to the address that browsers use, as https://id.example.org");
  return fmt::format("http://{}:{}", host == "::1" ? "[::1]" : host, port);
}

// Destroyed from the last to the first: what serves goes before what it serves from.
struct Identity::Impl {
  Impl(std::shared_ptr<oidc::Provider> p, web::Site site, web::Csrf csrf, boost::asio::io_context& io)
      : provider(std::move(p)),
        services{.provider = *provider, .site = std::move(site), .csrf = std::move(csrf)},
        client(io.get_executor()) {}

  std::atomic<bool> draining{false};
  std::shared_ptr<oidc::Provider> provider;
  web::Services services;
  http::Router router;
  std::unique_ptr<http::Server> server;
  http::Client client;
  mail::UserWatch::Subscription watch;
};

Result<std::unique_ptr<Identity>> Identity::open(const Config& config, std::string issuer,
                                                 mail::PostOffice& office, boost::asio::io_context& io) {
  const web::Branding branding{.name = config.branding_name,
                               .colour = config.branding_colour,
                               .logo = config.branding_logo,
                               .help_url = config.branding_help_url};
  MUHUR_TRY(auto assets, web::Assets::create(branding));
  MUHUR_TRY(const Secret server_key, accounts::read_server_key(config.server_key));
  web::Csrf csrf(crypto::hkdf(server_key.view(), {}, "muhur web forms", kFormKey), issuer);
  auto& pools = office.pools();
  MUHUR_TRY(std::shared_ptr<oidc::Provider> provider,
            oidc::Provider::open(config.data, server_key, office.directory(),
                                 provider_options(config, std::move(issuer), pools)));
  announce_database("sessions.db", provider->sessions_database());

  auto impl = std::make_unique<Impl>(std::move(provider), web::Site{branding, std::move(assets)},
                                     std::move(csrf), io);
  impl->services.prove = [&office](std::string address, Secret password, std::string peer) {
    return office.prove(std::move(address), std::move(password), std::move(peer));
  };
  impl->services.ready = [raw = impl.get()] { return !raw->draining; };
  impl->services.metrics_networks = config.metrics_networks;
  web::add_routes(impl->router, impl->services);
  http::ServerOptions options;
  options.hosts = config.http_hosts;
  options.trusted_proxies = config.trusted_proxies;
  options.proxy_header = config.proxy_header;
  web::finish_server(options, impl->services);
  impl->server = std::make_unique<http::Server>(impl->router, std::move(options));
  impl->provider->on_backchannel_logout(web::post_logout_tokens(impl->client, io.get_executor()));
  impl->watch = office.on_user_changed().listen(
      [weak = std::weak_ptr(impl->provider), &pools](accounts::UserId user, mail::UserChange) {
        pools.storage.post([weak, user] {
          if (const auto alive = weak.lock()) alive->user_changed(user);
        });
      });
  return std::unique_ptr<Identity>(new Identity(std::move(impl)));
}

Identity::Identity(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Identity::~Identity() = default;

net::Task<void> Identity::serve(net::StreamPtr stream) { return impl_->server->serve(std::move(stream)); }

void Identity::stop_soon() { impl_->draining = true; }

void Identity::drain() {
  stop_soon();
  impl_->server->drain();
}

void Identity::trust_proxies(const std::vector<std::string>& networks, http::ProxyHeader header) {
  impl_->server->trust(networks, header);
}

void Identity::sweep() {
  if (const auto swept = impl_->provider->sweep(); !swept)
    log::warn("server", "sweeping sessions failed", {{"why", swept.error().text()}});
}

void Identity::rotate_keys() {
  auto& keys = impl_->provider->keys();
  auto done = keys.publish_all();
  if (done) done = keys.rotate_due();
  if (!done) log::error("server", "signing keys could not be rotated", {{"why", done.error().text()}});
}

oidc::Provider& Identity::provider() { return *impl_->provider; }

}  // namespace muhur::server

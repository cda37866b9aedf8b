#include "oidc/provider.hpp"

#include "crypto/kdf.hpp"
#include "oidc/discovery.hpp"
#include "oidc/provider_impl.hpp"
#include "oidc/uri.hpp"

namespace muhur::oidc {
namespace {

constexpr std::size_t kKey = 32;
constexpr int kMostSweepSteps = 200;

JsonAnswer not_here() { return refusal("access_denied", "clients do not register themselves here", 403); }

}  // namespace

Provider::Impl::Impl(accounts::Directory& directory_, ProviderOptions options_, Subjects subjects_,
                     const Secret& server_key)
    : directory(directory_),
      users(directory_),
      options(std::move(options_)),
      subjects(std::move(subjects_)),
      pending_key(crypto::hkdf(server_key.view(), {}, "muhur oidc pending", kKey)),
      dpop(crypto::hkdf(server_key.view(), {}, "muhur oidc dpop nonce", kKey)),
      blocking([](auto job) { job(); }) {
  if (options.pools) blocking = [pool = &options.pools->storage](auto job) { pool->post(std::move(job)); };
}

Provider::Provider(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Provider::~Provider() = default;

Result<std::unique_ptr<Provider>> Provider::open(const std::filesystem::path& data, const Secret& server_key,
                                                 accounts::Directory& directory, ProviderOptions options) {
  if (const auto good = check_web_uri(options.issuer);
      !good || options.issuer.ends_with('/') || options.issuer.contains('?'))
    return fail(Code::invalid, "the issuer " + options.issuer + " is no https URL without a final slash",
                "Set it to the address that browsers use, as https://id.example.org");
  if (server_key.size() != kKey) return fail(Code::invalid, "the server key must have 32 bytes");
  MUHUR_TRY(auto subjects, Subjects::open(directory));
  auto impl = std::make_unique<Impl>(directory, std::move(options), std::move(subjects), server_key);
  MUHUR_TRY(impl->clients, Clients::open(directory));
  MUHUR_TRY(impl->keys, SigningKeys::open(directory, impl->options.keys));
  impl->registration = std::make_unique<Registration>(directory, *impl->clients, impl->options.issuer);
  const vault::Key key = accounts::database_key(server_key, "sessions");
  MUHUR_TRY(impl->store,
            Store::open(data / "sessions.db", key, impl->options.pools ? impl->blocking : vault::Executor()));
  return std::unique_ptr<Provider>(new Provider(std::move(impl)));
}

net::Task<Outcome> Provider::authorize(http::Form parameters, Browser browser) {
  return impl_->authorize(std::move(parameters), std::move(browser));
}
net::Task<Outcome> Provider::signed_in(std::string pending, Browser browser, accounts::SignedIn user) {
  return impl_->signed_in(std::move(pending), std::move(browser), std::move(user));
}
net::Task<Outcome> Provider::consented(std::string pending, Browser browser, bool approved) {
  return impl_->consented(std::move(pending), std::move(browser), approved);
}
Outcome Provider::again(std::string_view pending, const Browser& browser) {
  return impl_->again(pending, browser);
}
net::Task<JsonAnswer> Provider::token(TokenRequest request) { return impl_->token(std::move(request)); }
net::Task<JsonAnswer> Provider::push(TokenRequest request) { return impl_->push(std::move(request)); }
net::Task<JsonAnswer> Provider::introspect(TokenRequest request) {
  return impl_->introspect(std::move(request));
}
net::Task<std::expected<void, OAuthError>> Provider::revoke(TokenRequest request) {
  return impl_->revoke(std::move(request));
}
net::Task<JsonAnswer> Provider::device_authorize(TokenRequest request) {
  return impl_->device_authorize(std::move(request));
}
net::Task<std::expected<Provider::UserInfo, OAuthError>> Provider::userinfo(std::string bearer,
                                                                            bool dpop_scheme,
                                                                            TokenRequest request,
                                                                            std::string method) {
  return impl_->userinfo(std::move(bearer), dpop_scheme, std::move(request), std::move(method));
}
net::Task<Result<TokenInfo>> Provider::token_info(std::string access_token) {
  return impl_->token_info(std::move(access_token));
}

std::string Provider::discovery() const {
  return discovery_document(impl_->options.issuer, impl_->options.dynamic_registration);
}
std::string Provider::jwks() const { return impl_->keys->jwks(); }
std::string Provider::jwks_etag() const { return impl_->keys->jwks_etag(); }

net::Task<JsonAnswer> Provider::register_client(std::string bearer, boost::json::object metadata) {
  if (!impl_->options.dynamic_registration) co_return not_here();
  co_return co_await impl_->run([&] { return impl_->registration->add(bearer, metadata); });
}

net::Task<JsonAnswer> Provider::manage_client(std::string bearer, std::string client_id, std::string method,
                                              boost::json::object metadata) {
  if (!impl_->options.dynamic_registration) co_return not_here();
  co_return co_await impl_->run([&]() -> JsonAnswer {
    Registration& registration = *impl_->registration;
    if (method == "GET") return registration.read(bearer, client_id);
    if (method == "PUT") return registration.update(bearer, client_id, metadata);
    if (method != "DELETE") return refusal("invalid_request", "no such method", 405);
    auto removed = registration.remove(bearer, client_id);
    if (!removed) return std::unexpected(std::move(removed).error());
    return boost::json::object();
  });
}

void Provider::on_backchannel_logout(Notify notify) {
  const Lock lock(impl_->notify_mutex);
  impl_->notify = std::move(notify);
}

Result<void> Provider::sweep() {
  // As long as there is more: a busy server hands out more rows than one step takes. Between the steps
  // others write.
  for (int step = 0; step < kMostSweepSteps; ++step) {
    MUHUR_TRY(const auto gone, impl_->store->sweep(impl_->now()));
    if (gone < Store::kSweepStep) break;
  }
  return impl_->registration->sweep();
}

Clients& Provider::clients() { return *impl_->clients; }
SigningKeys& Provider::keys() { return *impl_->keys; }
std::weak_ptr<vault::Database> Provider::sessions_database() const { return impl_->store->held(); }
const ProviderOptions& Provider::options() const { return impl_->options; }

}  // namespace muhur::oidc

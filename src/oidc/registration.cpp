#include "oidc/registration.hpp"

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "base/secret.hpp"
#include "crypto/mac.hpp"
#include "oidc/discovery.hpp"
#include "oidc/json.hpp"
#include "oidc/schema.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr std::int64_t kRetry = 5;

std::unexpected<OAuthError> bad_token() {
  return std::unexpected(OAuthError{.code = "invalid_token",
                                    .description = "the token does not allow this",
                                    .status = 401,
                                    .www_authenticate = R"(Bearer error="invalid_token")"});
}

std::unexpected<OAuthError> bad_metadata(std::string_view why) {
  return std::unexpected(OAuthError{.code = "invalid_client_metadata", .description = std::string(why)});
}

// What the store says is no word of the client's: it may try again.
std::unexpected<OAuthError> not_now() {
  return std::unexpected(OAuthError{.code = "temporarily_unavailable",
                                    .description = "the server cannot store it now",
                                    .status = 503,
                                    .retry_after_s = kRetry});
}

Result<void> use_initial_token(vault::Connection& c, ByteView hash, std::int64_t now_s) {
  MUHUR_TRY(auto st, c.prepare("UPDATE oidc_initial_tokens SET uses_left = uses_left - 1 "
                               "WHERE hash = ? AND uses_left > 0 AND expires_s > ?"));
  MUHUR_TRY(const auto used, st.bind(hash, now_s).run_counted());
  if (used == 0) return fail(Code::denied, "no initial access token");
  return {};
}

}  // namespace

Result<std::string> Registration::make_initial_token(accounts::Directory& directory, std::int64_t lifetime_s,
                                                     std::int64_t uses) {
  if (lifetime_s < 60 || lifetime_s > 366 * 86'400)
    return fail(Code::invalid, "an initial access token is valid for a minute to a year");
  if (uses < 1 || uses > 100'000)
    return fail(Code::invalid, "an initial access token serves 1 to 100000 clients");
  MUHUR_CHECK(prepare_directory(directory));
  std::string token = random_token();
  const auto hash = crypto::sha256(as_bytes(token));
  const std::int64_t expires_s = directory.clock().now_s() + lifetime_s;
  MUHUR_CHECK(directory.database().write([&](vault::Connection& c) {
    return c.run("INSERT INTO oidc_initial_tokens(hash, uses_left, expires_s) VALUES (?, ?, ?)",
                 ByteView(hash), uses, expires_s);
  }));
  return token;
}

Registration::Answer Registration::add(std::string_view bearer, const json::object& metadata) {
  if (bearer.empty()) return bad_token();
  auto client = client_from_metadata(metadata, random_token(16));
  if (!client) return std::unexpected(std::move(client).error());
  const std::string token = random_token();
  const auto initial = crypto::sha256(as_bytes(bearer));
  const auto hash = crypto::sha256(as_bytes(token));
  const std::int64_t now_s = directory_.clock().now_s();
  const auto secret = clients_.add(*client, [&](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(use_initial_token(c, initial, now_s));
    return c.run("INSERT INTO oidc_registrations(client_id, token_hash) VALUES (?, ?)", client->id,
                 ByteView(hash));
  });
  if (!secret && secret.error().code == Code::denied) return bad_token();
  if (!secret) return not_now();
  const auto added = clients_.find(client->id);
  if (!added) return not_now();
  json::object reply = answer(*added, token);
  if (!secret->empty()) {
    reply["client_secret"] = *secret;
    reply["client_secret_expires_at"] = 0;  // never
  }
  return reply;
}

std::expected<std::shared_ptr<const Client>, OAuthError> Registration::owner(std::string_view bearer,
                                                                             std::string_view id) {
  const auto given = crypto::sha256(as_bytes(bearer));
  const auto stored = directory_.database().read([&](vault::Connection& c) -> Result<Bytes> {
    MUHUR_TRY(auto st, c.prepare("SELECT token_hash FROM oidc_registrations WHERE client_id = ?"));
    MUHUR_TRY(const bool row, st.bind(id).step());
    if (!row) return Bytes();
    const ByteView hash = st.blob(0);
    return Bytes(hash.begin(), hash.end());
  });
  if (!stored) return not_now();
  auto client = clients_.find(id);
  if (!client || stored->empty() || !equal_constant_time(given, *stored)) return bad_token();
  return client;
}

json::object Registration::answer(const Client& client, std::string_view bearer) const {
  json::object reply = metadata_of(client);
  reply["registration_access_token"] = bearer;
  reply["registration_client_uri"] = issuer_ + std::string(path::kRegister) + "/" + client.id;
  return reply;
}

Registration::Answer Registration::read(std::string_view bearer, std::string_view id) {
  const auto client = owner(bearer, id);
  if (!client) return std::unexpected(client.error());
  return answer(**client, bearer);
}

Registration::Answer Registration::update(std::string_view bearer, std::string_view id,
                                          const json::object& metadata) {
  const auto client = owner(bearer, id);
  if (!client) return std::unexpected(client.error());
  // RFC 7592 §2.2: the client's own id, its own secret if any, and none of what only the server says.
  if (text_of(metadata, "client_id") != id) return bad_metadata("client_id is not that of this client");
  if (const auto secret = text_of(metadata, "client_secret");
      secret && !clients_.secret_matches(**client, *secret))
    return bad_metadata("client_secret is not that of this client");
  for (const auto* name : {"registration_access_token", "registration_client_uri", "client_secret_expires_at",
                           "client_id_issued_at"})
    if (metadata.contains(name)) return bad_metadata(std::string(name) + " is the server's to say");
  auto changed = client_from_metadata(metadata, std::string(id));
  if (!changed) return std::unexpected(std::move(changed).error());
  const bool had_secret = (*client)->auth == ClientAuth::basic || (*client)->auth == ClientAuth::post;
  const bool has_secret = changed->auth == ClientAuth::basic || changed->auth == ClientAuth::post;
  // What an administrator decided about this client stays.
  changed->groups = (*client)->groups;
  changed->resources = (*client)->resources;
  changed->require_dpop_nonce = (*client)->require_dpop_nonce;
  changed->access_token = (*client)->access_token;
  changed->access_token_s = (*client)->access_token_s;
  changed->refresh_token_s = (*client)->refresh_token_s;
  if (!clients_.update(*changed)) return not_now();
  const auto now = clients_.find(id);
  if (!now) return bad_token();
  json::object reply = answer(*now, bearer);
  if (has_secret && !had_secret) {
    const auto secret = clients_.rotate_secret(id);
    if (!secret) return not_now();
    reply["client_secret"] = *secret;
    reply["client_secret_expires_at"] = 0;
  }
  return reply;
}

std::expected<void, OAuthError> Registration::remove(std::string_view bearer, std::string_view id) {
  const auto client = owner(bearer, id);
  if (!client) return std::unexpected(client.error());
  if (!clients_.remove(id)) return not_now();
  return {};
}

Result<void> Registration::sweep() {
  const std::int64_t now_s = directory_.clock().now_s();
  return directory_.database().write([&](vault::Connection& c) {
    return c.run("DELETE FROM oidc_initial_tokens WHERE expires_s <= ? OR uses_left = 0", now_s);
  });
}

}  // namespace muhur::oidc

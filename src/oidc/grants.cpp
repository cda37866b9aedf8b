#include "oidc/grants.hpp"

namespace muhur::oidc {
namespace {

constexpr std::int64_t kSlack_s = 86'400;  // so that not every refresh moves the grant in its index

std::optional<Bytes> blob_or_null(const vault::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  const auto bytes = row.blob(column);
  return Bytes(bytes.begin(), bytes.end());
}

}  // namespace

Result<std::int64_t> insert_grant(vault::Connection& c, const Grant& g) {
  MUHUR_CHECK(
      c.run("INSERT INTO grants(client_id, user_id, sid, scope, resource, claims, amr, auth_time_s, jkt, "
            "offline, ends_s, epoch, client_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            g.client_id, g.user, g.sid, g.scope, g.resource, g.claims, g.amr, g.auth_time_s, g.jkt, g.offline,
            g.ends_s, g.epoch, g.client_ms));
  return c.last_insert_id();
}

Result<std::optional<Grant>> find_grant(vault::Connection& c, std::int64_t id, std::int64_t now_s) {
  MUHUR_TRY(auto st, c.prepare("SELECT client_id, user_id, sid, scope, resource, claims, amr, auth_time_s, "
                               "jkt, offline, ends_s, revoked_s, epoch, client_ms FROM grants WHERE id = ?"));
  MUHUR_TRY(const bool row, st.bind(id).step());
  if (!row) return std::optional<Grant>();
  Grant g{.id = id,
          .client_id = std::string(st.text(0)),
          .user = st.int64(1),
          .sid = std::string(st.text(2)),
          .scope = std::string(st.text(3)),
          .resource = std::string(st.text(4)),
          .claims = std::string(st.text(5)),
          .amr = std::string(st.text(6)),
          .auth_time_s = st.int64(7),
          .jkt = std::string(st.text(8)),
          .offline = st.int64(9) != 0,
          .ends_s = st.int64(10),
          .revoked = !st.is_null(11),
          .epoch = st.int64(12),
          .client_ms = st.int64(13)};
  if (g.revoked || g.ends_s <= now_s) return std::optional<Grant>();
  return std::optional(std::move(g));
}

Result<void> revoke_grant(vault::Connection& c, std::int64_t id, std::int64_t now_s) {
  return c.run("UPDATE grants SET revoked_s = ? WHERE id = ? AND revoked_s IS NULL", now_s, id);
}

Result<void> keep_grant(vault::Connection& c, const Grant& grant, std::int64_t until_s) {
  if (grant.ends_s >= until_s) return {};
  return c.run("UPDATE grants SET ends_s = ? WHERE id = ? AND ends_s < ?", until_s + kSlack_s, grant.id,
               until_s);
}

Result<void> bind_grant(vault::Connection& c, std::int64_t id, std::string_view jkt) {
  return c.run("UPDATE grants SET jkt = ? WHERE id = ?", jkt, id);
}

Result<void> insert_code(vault::Connection& c, std::string_view secret, const AuthCode& code) {
  const auto hash = hash_of(secret);
  return c.run(
      "INSERT INTO codes(hash, grant_id, redirect_uri, challenge, nonce, ends_s, wrap) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)",
      ByteView(hash), code.grant_id, code.redirect_uri, code.challenge, code.nonce, code.ends_s, code.wrap);
}

Result<std::optional<AuthCode>> use_code(vault::Connection& c, std::string_view secret, std::int64_t now_s) {
  const auto hash = hash_of(secret);
  {
    MUHUR_TRY(auto st, c.prepare("UPDATE codes SET used_s = ? WHERE hash = ? AND used_s IS NULL "
                                 "RETURNING grant_id, redirect_uri, challenge, nonce, ends_s, wrap"));
    MUHUR_TRY(const bool row, st.bind(now_s, ByteView(hash)).step());
    if (row) {
      AuthCode code{.grant_id = st.int64(0),
                    .redirect_uri = std::string(st.text(1)),
                    .challenge = std::string(st.text(2)),
                    .nonce = std::string(st.text(3)),
                    .ends_s = st.int64(4),
                    .wrap = blob_or_null(st, 5)};
      MUHUR_CHECK(st.run());
      return std::optional(std::move(code));
    }
  }
  MUHUR_CHECK(
      c.run("UPDATE grants SET revoked_s = ? WHERE id = (SELECT grant_id FROM codes WHERE hash = ?) "
            "AND revoked_s IS NULL",
            now_s, ByteView(hash)));
  return std::optional<AuthCode>();
}

Result<void> insert_refresh(vault::Connection& c, std::string_view secret, const RefreshToken& token) {
  const auto hash = hash_of(secret);
  return c.run("INSERT INTO refresh_tokens(hash, grant_id, ends_s, wrap) VALUES (?, ?, ?, ?)", ByteView(hash),
               token.grant_id, token.ends_s, token.wrap);
}

Result<std::optional<RefreshToken>> find_refresh(vault::Connection& c, std::string_view secret) {
  const auto hash = hash_of(secret);
  MUHUR_TRY(auto st, c.prepare("SELECT grant_id, ends_s, used_s, successor, wrap FROM refresh_tokens "
                               "WHERE hash = ?"));
  MUHUR_TRY(const bool row, st.bind(ByteView(hash)).step());
  if (!row) return std::optional<RefreshToken>();
  RefreshToken token{.grant_id = st.int64(0),
                     .ends_s = st.int64(1),
                     .successor = blob_or_null(st, 3),
                     .wrap = blob_or_null(st, 4)};
  if (!st.is_null(2)) token.used_s = st.int64(2);
  return std::optional(std::move(token));
}

Result<bool> use_refresh(vault::Connection& c, std::string_view secret, ByteView successor,
                         std::int64_t now_s) {
  const auto hash = hash_of(secret);
  MUHUR_TRY(auto st, c.prepare("UPDATE refresh_tokens SET used_s = ?, successor = ? WHERE hash = ? AND "
                               "used_s IS NULL"));
  MUHUR_TRY(const auto used, st.bind(now_s, successor, ByteView(hash)).run_counted());
  return used == 1;
}

Result<void> insert_access(vault::Connection& c, std::string_view secret, const AccessToken& t) {
  const auto hash = hash_of(secret);
  return c.run(
      "INSERT INTO access_tokens(hash, grant_id, scope, resource, jkt, issued_s, ends_s, wrap) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ByteView(hash), t.grant_id, t.scope, t.resource, t.jkt, t.issued_s, t.ends_s, t.wrap);
}

Result<std::optional<LiveToken>> find_access(vault::Connection& c, std::string_view secret,
                                             std::int64_t now_s) {
  const auto hash = hash_of(secret);
  LiveToken live;
  {
    MUHUR_TRY(auto st, c.prepare("SELECT grant_id, scope, resource, jkt, issued_s, ends_s, wrap FROM "
                                 "access_tokens WHERE hash = ? AND ends_s > ?"));
    MUHUR_TRY(const bool row, st.bind(ByteView(hash), now_s).step());
    if (!row) return std::optional<LiveToken>();
    live.token = {.grant_id = st.int64(0),
                  .scope = std::string(st.text(1)),
                  .resource = std::string(st.text(2)),
                  .jkt = std::string(st.text(3)),
                  .issued_s = st.int64(4),
                  .ends_s = st.int64(5),
                  .wrap = blob_or_null(st, 6)};
  }
  MUHUR_TRY(auto grant, find_grant(c, live.token.grant_id, now_s));
  if (!grant) return std::optional<LiveToken>();
  live.grant = std::move(*grant);
  return std::optional(std::move(live));
}

Result<void> drop_access(vault::Connection& c, std::string_view secret) {
  const auto hash = hash_of(secret);
  return c.run("DELETE FROM access_tokens WHERE hash = ?", ByteView(hash));
}

}  // namespace muhur::oidc

// sessions.db, version 2. Times are seconds, UTC; ends_s is when a row means nothing any more. `hash` is the
// SHA-256 of the secret that was handed out; `wrap` the mailbox's key under that secret (oidc/custody.hpp),
// NULL where mail was not asked for (sessions always carry it):
//
//   browser_sessions  one signed-in browser; sid is what clients know it by
//   session_clients   who is to be told when it ends (back-channel logout)
//   grants            what a user let a client do; all tokens of one grant are a family that ends with it.
//                     Ids are never used twice: tokens refer to them
//   codes             authorization codes; used_s NULL until redeemed
//   refresh_tokens    successor: the token that replaced this one, sealed under this one
//   access_tokens     opaque ones and JWTs alike, so that both can be taken back
//   device_codes      RFC 8628; state 0 waiting, 1 approved, 2 denied, 3 redeemed. half: the private half of
//                     a sealing pair under the device code; dek is sealed to the public half at approval
//   pushed_requests   RFC 9126
//   remembered        keys seen once (SHA-256)
//   consents          what a user allowed a client for good
//
// epoch: of the user, when that began (accounts::User::epoch); client_ms: when the client was added. What was
// begun before a new password, or for an earlier client of the same name, means nothing (oidc/standing.hpp).
#include "oidc/store.hpp"

#include "vault/migration.hpp"

namespace muhur::oidc {
namespace {

constexpr vault::Migration kMigrations[] = {
    {1, "sessions, grants, tokens", R"sql(
CREATE TABLE browser_sessions(
  hash BLOB PRIMARY KEY,
  sid TEXT NOT NULL,
  user_id INTEGER NOT NULL,
  created_s INTEGER NOT NULL,
  last_seen_s INTEGER NOT NULL,
  auth_time_s INTEGER NOT NULL,
  latest_s INTEGER NOT NULL,
  ends_s INTEGER NOT NULL,
  amr TEXT NOT NULL,
  peer TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  wrap BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX browser_sessions_by_user ON browser_sessions(user_id, sid);
CREATE INDEX browser_sessions_by_end ON browser_sessions(ends_s);
CREATE TABLE session_clients(
  sid TEXT NOT NULL,
  client_id TEXT NOT NULL,
  ends_s INTEGER NOT NULL,
  PRIMARY KEY(sid, client_id)) STRICT, WITHOUT ROWID;
CREATE INDEX session_clients_by_end ON session_clients(ends_s);
CREATE TABLE grants(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  client_id TEXT NOT NULL,
  user_id INTEGER NOT NULL,
  sid TEXT NOT NULL,
  scope TEXT NOT NULL,
  resource TEXT NOT NULL,
  claims TEXT NOT NULL,
  amr TEXT NOT NULL,
  auth_time_s INTEGER NOT NULL,
  jkt TEXT NOT NULL,
  offline INTEGER NOT NULL,
  ends_s INTEGER NOT NULL,
  revoked_s INTEGER) STRICT;
CREATE INDEX grants_by_user ON grants(user_id, sid);
CREATE INDEX grants_by_end ON grants(ends_s);
CREATE TABLE codes(
  hash BLOB PRIMARY KEY,
  grant_id INTEGER NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL,
  nonce TEXT NOT NULL,
  ends_s INTEGER NOT NULL,
  used_s INTEGER,
  wrap BLOB) STRICT, WITHOUT ROWID;
CREATE INDEX codes_by_end ON codes(ends_s);
CREATE TABLE refresh_tokens(
  hash BLOB PRIMARY KEY,
  grant_id INTEGER NOT NULL,
  ends_s INTEGER NOT NULL,
  used_s INTEGER,
  successor BLOB,
  wrap BLOB) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_by_end ON refresh_tokens(ends_s);
CREATE TABLE access_tokens(
  hash BLOB PRIMARY KEY,
  grant_id INTEGER NOT NULL,
  scope TEXT NOT NULL,
  resource TEXT NOT NULL,
  jkt TEXT NOT NULL,
  issued_s INTEGER NOT NULL,
  ends_s INTEGER NOT NULL,
  wrap BLOB) STRICT, WITHOUT ROWID;
CREATE INDEX access_tokens_by_end ON access_tokens(ends_s);
CREATE TABLE device_codes(
  hash BLOB PRIMARY KEY,
  user_code BLOB NOT NULL UNIQUE,
  client_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  resource TEXT NOT NULL,
  state INTEGER NOT NULL,
  wait_s INTEGER NOT NULL,
  polled_s INTEGER NOT NULL,
  user_id INTEGER NOT NULL DEFAULT 0,
  sid TEXT NOT NULL DEFAULT '',
  amr TEXT NOT NULL DEFAULT '',
  auth_time_s INTEGER NOT NULL DEFAULT 0,
  public_half BLOB NOT NULL,
  half BLOB NOT NULL,
  dek BLOB,
  ends_s INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX device_codes_by_end ON device_codes(ends_s);
CREATE TABLE pushed_requests(
  hash BLOB PRIMARY KEY,
  client_id TEXT NOT NULL,
  form TEXT NOT NULL,
  ends_s INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX pushed_requests_by_end ON pushed_requests(ends_s);
CREATE TABLE remembered(
  hash BLOB PRIMARY KEY,
  ends_s INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX remembered_by_end ON remembered(ends_s);
CREATE TABLE consents(
  user_id INTEGER NOT NULL,
  client_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  given_s INTEGER NOT NULL,
  PRIMARY KEY(user_id, client_id)) STRICT, WITHOUT ROWID;
)sql"},
    {2, "what a new password and a new client of an old name end", R"sql(
ALTER TABLE browser_sessions ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE device_codes ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN client_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE consents ADD COLUMN client_ms INTEGER NOT NULL DEFAULT 0;
)sql"},
};

constexpr std::string_view kSweeps[] = {
    "DELETE FROM access_tokens WHERE hash IN (SELECT hash FROM access_tokens WHERE ends_s <= ? LIMIT ?)",
    "DELETE FROM refresh_tokens WHERE hash IN (SELECT hash FROM refresh_tokens WHERE ends_s <= ? LIMIT ?)",
    "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE ends_s <= ? LIMIT ?)",
    ("DELETE FROM browser_sessions WHERE hash IN "
     "(SELECT hash FROM browser_sessions WHERE ends_s <= ? LIMIT ?)"),
    ("DELETE FROM session_clients WHERE (sid, client_id) IN "
     "(SELECT sid, client_id FROM session_clients WHERE ends_s <= ? LIMIT ?)"),
    "DELETE FROM device_codes WHERE hash IN (SELECT hash FROM device_codes WHERE ends_s <= ? LIMIT ?)",
    "DELETE FROM pushed_requests WHERE hash IN (SELECT hash FROM pushed_requests WHERE ends_s <= ? LIMIT ?)",
    "DELETE FROM remembered WHERE hash IN (SELECT hash FROM remembered WHERE ends_s <= ? LIMIT ?)",
};
constexpr std::string_view kSweepCodes =
    "DELETE FROM codes WHERE hash IN (SELECT hash FROM codes WHERE ends_s <= ? LIMIT ?)";

}  // namespace

crypto::Digest hash_of(std::string_view secret) { return crypto::sha256(as_bytes(secret)); }

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& file, const vault::Key& key,
                                           vault::Executor executor) {
  vault::DatabaseOptions options;
  options.open.path = file;
  options.open.key = &key;
  options.open.mode = vault::OpenMode::create;
  options.open.profile.durability = vault::Durability::full;
  options.open.profile.cache_kib = 16 * 1024;
  options.migrations = kMigrations;
  options.copy_before_migrating = true;
  options.max_readers = 4;
  options.executor = std::move(executor);
  options.metrics_label = "sessions";
  MUHUR_TRY(auto database, vault::Database::open(std::move(options)));
  return std::unique_ptr<Store>(new Store(std::move(database)));
}

Result<bool> Store::remember_once(vault::Connection& c, const Once& once) {
  const auto hash = hash_of(once.key);
  MUHUR_TRY(auto st, c.prepare("INSERT INTO remembered(hash, ends_s) VALUES (?, ?) ON CONFLICT DO NOTHING"));
  MUHUR_TRY(const auto added, st.bind(ByteView(hash), once.ends_s).run_counted());
  return added == 1;
}

Result<std::int64_t> Store::sweep(std::int64_t now_s, std::int64_t most) {
  return database_->write([&](vault::Connection& c) -> Result<std::int64_t> {
    std::int64_t gone = 0;
    const auto step = [&](std::string_view sql, std::int64_t until) -> Result<void> {
      MUHUR_TRY(auto st, c.prepare(sql));
      MUHUR_TRY(const auto went, st.bind(until, most).run_counted());
      gone += went;
      return {};
    };
    for (const auto sql : kSweeps) MUHUR_CHECK(step(sql, now_s));
    MUHUR_CHECK(step(kSweepCodes, now_s - kRememberCodes_s));
    return gone;
  });
}

}  // namespace muhur::oidc

// directory.db, version 4:
//   domains      where mail is accepted; name is the lower-case A-label
//   users        canonical is the compared form of the address; ids are never used twice, since wraps and
//                audit rows refer to them; mailbox is a MailboxState; epoch: User::epoch;
//                looks_like: accounts/look_alike.hpp
//   credentials  record verifies, wrap is the mailbox's key sealed for it (accounts/key_wrap.hpp);
//                memory_kib and passes repeat a password record's cost, so that costs can be counted
//                (accounts/record_cost.hpp)
//   attempts     accounts/lockout.hpp; subject is a keyed hash: people type passwords as user names
//   audit        accounts/audit.hpp; no foreign key: it outlives the user
//   settings     the server's own values by name
#include "accounts/directory.hpp"

#include <fmt/format.h>

#include "accounts/look_alike.hpp"
#include "crypto/kdf.hpp"

namespace muhur::accounts {
namespace {

constexpr vault::Migration kMigrations[] = {
    {1, "domains, users, credentials, attempts, audit, settings", R"sql(
CREATE TABLE domains(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_ms INTEGER NOT NULL) STRICT;
CREATE TABLE users(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  canonical TEXT NOT NULL UNIQUE,
  address TEXT NOT NULL,
  domain_id INTEGER NOT NULL REFERENCES domains(id),
  display_name TEXT NOT NULL,
  mailbox_id TEXT NOT NULL UNIQUE,
  sealing_public BLOB NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0,
  admin INTEGER NOT NULL DEFAULT 0,
  quota_bytes INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL) STRICT;
CREATE INDEX users_by_domain ON users(domain_id);
CREATE TABLE credentials(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
  kind INTEGER NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  record TEXT NOT NULL,
  wrap BLOB NOT NULL,
  memory_kib INTEGER,
  passes INTEGER,
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE UNIQUE INDEX credentials_by_user ON credentials(user_id, kind, name);
CREATE INDEX credentials_by_cost ON credentials(memory_kib, passes) WHERE memory_kib IS NOT NULL;
CREATE TABLE attempts(
  subject BLOB PRIMARY KEY,
  failures INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  good_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_by_time ON attempts(last_ms);
CREATE TABLE audit(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  user_id INTEGER,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL,
  peer TEXT NOT NULL,
  detail TEXT NOT NULL) STRICT;
CREATE INDEX audit_by_user ON audit(user_id, id);
CREATE TABLE settings(
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO settings(name, value) VALUES ('sign-in-key', randomblob(32));
)sql"},
    {2, "users whose mailbox is made at their first sign-in", R"sql(
ALTER TABLE users ADD COLUMN mailbox INTEGER NOT NULL DEFAULT 0;
UPDATE users SET mailbox = 1 WHERE length(sealing_public) > 0;
)sql"},
    {3, "sign-ins that a new password ends", R"sql(
ALTER TABLE users ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
)sql"},
    {4, "what names look like, to find look-alikes by an index", R"sql(
ALTER TABLE users ADD COLUMN looks_like TEXT NOT NULL DEFAULT '';
CREATE INDEX users_by_look ON users(domain_id, looks_like);
)sql",
     note_looks},
};

}  // namespace

vault::Key database_key(const Secret& server_key, std::string_view name) {
  return vault::Key::raw(crypto::hkdf(server_key.view(), {}, fmt::format("muhur database {}", name), 32));
}

Result<std::shared_ptr<Directory>> Directory::open(const std::filesystem::path& data,
                                                   const Secret& server_key, bool create,
                                                   const Clock& clock) {
  if (server_key.size() != 32) return fail(Code::invalid, "the server key must have 32 bytes");
  if (create) {
    std::error_code error;
    if (std::filesystem::create_directories(data, error))
      std::filesystem::permissions(data, std::filesystem::perms::owner_all, error);
    if (error) return fail_errno(error.value(), fmt::format("create the directory {}", data.string()));
  }
  const vault::Key key = database_key(server_key, "directory");
  vault::DatabaseOptions options;
  options.open.path = data / "directory.db";
  options.open.key = &key;
  options.open.mode = create ? vault::OpenMode::create : vault::OpenMode::read_write;
  options.migrations = kMigrations;
  options.copy_before_migrating = true;
  options.metrics_label = "directory";
  MUHUR_TRY(auto database, vault::Database::open(std::move(options)));
  return std::shared_ptr<Directory>(new Directory(std::move(database), clock));
}

Result<std::optional<Bytes>> Directory::setting(std::string_view name) {
  return database_->read([&](vault::Connection& c) -> Result<std::optional<Bytes>> {
    MUHUR_TRY(auto st, c.prepare("SELECT value FROM settings WHERE name = ?"));
    MUHUR_TRY(const bool row, st.bind(name).step());
    if (!row) return std::optional<Bytes>();
    const ByteView value = st.blob(0);
    return std::optional(Bytes(value.begin(), value.end()));
  });
}

Result<void> Directory::set_setting(std::string_view name, ByteView value) {
  return database_->write([&](vault::Connection& c) {
    return c.run(
        "INSERT INTO settings(name, value) VALUES (?, ?) "
        "ON CONFLICT(name) DO UPDATE SET value = excluded.value",
        name, value);
  });
}

}  // namespace muhur::accounts

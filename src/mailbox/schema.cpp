#include "mailbox/schema.hpp"

#include "crypto/seal.hpp"
#include "mailbox/damaged.hpp"
#include "mailbox/folders.hpp"

namespace muhur::mailbox {
namespace {

// Ids that other objects hold on to (folders, emails, attachments) are AUTOINCREMENT: never used again.
// Whatever holds bytes has them in its last columns or in a table apart, so that a change of the small
// columns (a reference count, a flag) does not write them again.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE keys (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mailboxes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid_validity INTEGER NOT NULL,
  uid_next INTEGER NOT NULL DEFAULT 1,
  highest_modseq INTEGER NOT NULL DEFAULT 1,
  messages INTEGER NOT NULL DEFAULT 0,
  unseen INTEGER NOT NULL DEFAULT 0,
  deleted INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  selectable INTEGER NOT NULL DEFAULT 1,
  special_use TEXT NOT NULL DEFAULT '',
  path TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE subscriptions (
  path TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE emails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  size INTEGER NOT NULL,
  sent_day INTEGER,
  head_size INTEGER NOT NULL,
  layout BLOB,
  summary BLOB NOT NULL,
  head BLOB NOT NULL,
  body BLOB
) STRICT;

CREATE TABLE email_refs (
  email_id INTEGER PRIMARY KEY,
  refs INTEGER NOT NULL
) STRICT;

CREATE TABLE email_chunks (
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL
) STRICT;

CREATE TABLE texts (
  email_id INTEGER PRIMARY KEY,
  text BLOB NOT NULL
) STRICT;

CREATE TABLE attachments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  size INTEGER NOT NULL,
  hash BLOB NOT NULL UNIQUE
) STRICT;

CREATE TABLE attachment_refs (
  attachment_id INTEGER PRIMARY KEY,
  refs INTEGER NOT NULL
) STRICT;

CREATE TABLE attachment_chunks (
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL
) STRICT;

CREATE TABLE messages (
  mailbox_id INTEGER NOT NULL REFERENCES mailboxes (id),
  uid INTEGER NOT NULL,
  email_id INTEGER NOT NULL,
  modseq INTEGER NOT NULL,
  date INTEGER NOT NULL,
  zone INTEGER NOT NULL,
  size INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  keywords BLOB,
  PRIMARY KEY (mailbox_id, uid)
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_date ON messages (mailbox_id, date DESC);
CREATE INDEX messages_flags ON messages (mailbox_id, flags) WHERE flags <> 0;
CREATE INDEX messages_modseq ON messages (mailbox_id, modseq);

CREATE TABLE keywords (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE
) STRICT;

CREATE TABLE mailbox_keywords (
  mailbox_id INTEGER NOT NULL REFERENCES mailboxes (id),
  keyword_id INTEGER NOT NULL,
  PRIMARY KEY (mailbox_id, keyword_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE vanished (
  mailbox_id INTEGER NOT NULL REFERENCES mailboxes (id),
  modseq INTEGER NOT NULL,
  first_uid INTEGER NOT NULL,
  last_uid INTEGER NOT NULL,
  PRIMARY KEY (mailbox_id, modseq, first_uid)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivered (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  uid_validity INTEGER NOT NULL,
  uid INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// What a mailbox remembers for others' sake gets an end: messages that vanished have the day on which they
// did, and a folder the MODSEQ up to which it has forgotten them.
constexpr std::string_view kVersion2 = R"sql(
CREATE TABLE leaving (
  email_id INTEGER PRIMARY KEY
) STRICT;
ALTER TABLE mailboxes ADD COLUMN forgotten_modseq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE vanished ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
UPDATE vanished SET day = unixepoch() / 86400;
)sql";

constexpr vault::Migration kMigrations[] = {
    {.version = 1, .name = "mailbox", .sql = kVersion1},
    {.version = 2, .name = "leaving and forgetting", .sql = kVersion2},
};

struct StandardFolder {
  std::string_view path, special_use;
};
constexpr StandardFolder kStandardFolders[] = {
    {"INBOX", ""},        {"Drafts", "\\Drafts"}, {"Sent", "\\Sent"},
    {"Trash", "\\Trash"}, {"Junk", "\\Junk"},     {"Archive", "\\Archive"},
};

Result<void> put_key(vault::Connection& connection, std::string_view name, ByteView value) {
  return connection.run("INSERT INTO keys (name, value) VALUES (?, ?)", name, value);
}

}  // namespace

std::span<const vault::Migration> migrations() { return kMigrations; }

Result<void> provision(vault::Connection& connection, const Clock& clock) {
  MUHUR_TRY(const std::int64_t there, connection.query_int("SELECT count(*) FROM keys"));
  if (there != 0) return {};
  const auto sealing = crypto::SealingPair::generate();
  MUHUR_CHECK(put_key(connection, kSealingPublic, sealing.public_half));
  MUHUR_CHECK(put_key(connection, kSealingPrivate, sealing.private_half.view()));
  MUHUR_CHECK(put_key(connection, kContentHashKey, Secret::random(32).view()));
  Folders folders(connection, clock);
  for (const auto& [path, special_use] : kStandardFolders) {
    MUHUR_CHECK(folders.create(path, special_use));
    MUHUR_CHECK(folders.set_subscribed(path, true));
  }
  return {};
}

Result<Secret> stored_key(vault::Connection& connection, std::string_view name) {
  MUHUR_TRY(auto st, connection.prepare("SELECT value FROM keys WHERE name = ?"));
  st.bind(name);
  MUHUR_TRY(const bool row, st.step());
  if (!row || st.blob(0).empty()) return damaged(connection, "The table of keys");
  return Secret(st.blob(0));
}

}  // namespace muhur::mailbox

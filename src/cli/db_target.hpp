#pragma once
// Which database a `muhur db` command means, and with which key: a user's mailbox by address (the user's
// password unwraps its key), one of the server's own by name (server.key opens it), or any file.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cli/mail_system.hpp"
#include "mail/data_lock.hpp"
#include "vault/connection.hpp"
#include "vault/lock_file.hpp"

namespace muhur::cli {

// The options that say it.
struct DbArgs {
  Where where;
  std::string database, key_file, passphrase_file, password_file, cipher;
  bool json = false;
  void describe(Command& command);
};

enum class DbKind { mailbox, server, file };

struct DbTarget {
  std::filesystem::path path;
  DbKind kind = DbKind::file;
  vault::Key key;              // empty: a plain file
  std::string cipher;          // as asked for; empty: found out
  std::filesystem::path data;  // the data directory, for a mailbox and the server's own
  // Nobody else uses the data directory meanwhile.
  std::optional<mail::DataLock> data_lock;
};

// Asks for what it needs. busy: a server uses the data directory. denied, not_found as one would expect.
Result<DbTarget> find_database(const DbArgs& args);

// An open database that nobody else writes.
struct OpenDb {
  vault::LockFile lock;
  std::unique_ptr<vault::Connection> connection;
};
Result<OpenDb> open_database(const DbTarget& target, vault::OpenMode mode = vault::OpenMode::read_write);

// The key that a new file shall have: of a file, or typed twice.
struct NewKeyArgs {
  std::string key_file, passphrase_file;
  bool plain = false;
  void describe(Command& command, bool may_be_plain);
  bool given() const { return plain || !key_file.empty() || !passphrase_file.empty(); }
  // Empty: plain.
  Result<vault::Key> read(const std::string& prompt) const;
};

// A bar for `done` of `all`, as the vault's callbacks tell them.
std::function<void(std::uint64_t done, std::uint64_t all)> progress_bar(const std::string& title);

}  // namespace muhur::cli

#pragma once
// directory.db: domains, users, credentials, key wraps, settings, audit. Opened with a key derived from
// server.key. All methods of the classes over it block; any thread.

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/secret.hpp"
#include "vault/database.hpp"

namespace muhur::accounts {

class Directory {
 public:
  // `server_key` has 32 bytes: HKDF gives each database its own key. denied: another server.key.
  static Result<std::shared_ptr<Directory>> open(const std::filesystem::path& data, const Secret& server_key,
                                                 bool create, const Clock& clock = Clock::system());
  vault::Database& database() { return *database_; }
  const Clock& clock() const { return clock_; }

  // The server's own values by name ("sign-in-key" is taken: accounts/sign_in_cost.hpp).
  Result<std::optional<Bytes>> setting(std::string_view name);
  Result<void> set_setting(std::string_view name, ByteView value);

 private:
  Directory(std::shared_ptr<vault::Database> database, const Clock& clock)
      : database_(std::move(database)), clock_(clock) {}
  std::shared_ptr<vault::Database> database_;
  const Clock& clock_;
};

// DATA/server.key: made (0600, never over an existing one) or read. Refuses a file that others can read.
Result<Secret> create_server_key(const std::filesystem::path& file);
Result<Secret> read_server_key(const std::filesystem::path& file);
// The key of one of the server's databases: "directory", "sessions", "spool".
vault::Key database_key(const Secret& server_key, std::string_view name);

}  // namespace muhur::accounts

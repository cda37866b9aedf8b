#pragma once
// One connection to one encrypted database: opened NOMUTEX through the vault's VFS (vault/vfs.hpp),
// profiled, with a cache of prepared statements. One thread at a time; moves between threads freely
// while no Statement of it is alive.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "vault/key.hpp"
#include "vault/profile.hpp"
#include "vault/statement.hpp"

struct sqlite3;

namespace muhur::vault {

enum class OpenMode {
  read_only,
  read_write,  // must exist
  create,      // made when absent
};

class SlowStatements;

struct OpenOptions {
  std::filesystem::path path;
  const Key* key = nullptr;  // null or empty: plain. Looked at during open() only.
  OpenMode mode = OpenMode::read_write;
  Profile profile;
  // "chacha20", "sqleet" or "aes256cbc" (files of older tools, to move away from). Empty: chacha20, and
  // aes256cbc where a passphrase does not open the file as that; cipher() says which it was.
  std::string cipher;
  bool query_only = false;  // a reader: opened read_write (WAL needs it), refuses to change anything
  bool bare = false;        // no profile at all: for copies and checks of the vault's own
  bool stock_vfs = false;   // SQLite's own VFS, never with a key: what the vault is measured against
  std::shared_ptr<SlowStatements> slow;  // told of slow statements (vault/slow_statements.hpp); may be null
};

class Connection {
 public:
  // Failures: not_found, denied (wrong key or not a database of ours: the two cannot be told apart),
  // corrupt, no_space, io; each names the file and a remedy. A file that was just created is removed
  // again on failure. A new file is readable by its owner only, and so are its WAL and journal.
  static Result<std::unique_ptr<Connection>> open(const OpenOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // One statement, from the cache or compiled (PRAGMA and EXPLAIN always compiled). The same text may be
  // borrowed several times at once. No white space before the first word.
  // `sql` must be a constant of the program: it is the cache's key and appears in slow-statement reports.
  Result<Statement> prepare(std::string_view sql);
  // One or more statements without parameters; rows are thrown away. Not cached. On failure those before
  // the failed one have taken effect.
  Result<void> exec(std::string_view sql);
  // The first column of the first row of a statement (not_found: no row).
  Result<std::int64_t> query_int(std::string_view sql);
  Result<std::string> query_text(std::string_view sql);
  // Prepares, binds and runs.
  template <class... Args>
  Result<void> run(std::string_view sql, const Args&... args) {
    MUHUR_TRY(Statement st, prepare(sql));
    return st.bind(args...).run();
  }

  // The size of this connection's page cache, in KiB; no work when it is that already.
  Result<void> set_cache_kib(std::int64_t kib);

  std::int64_t last_insert_id() const;
  std::int64_t changes() const;
  bool in_transaction() const;
  std::string_view cipher() const;  // as in OpenOptions; "none" for a plain database
  const std::filesystem::path& path() const { return path_; }
  sqlite3* handle() { return handle_; }  // for the vault's own files

  // Turns an SQLite result into an Error that names this file and a remedy. `doing` is a constant.
  Error error_of(int rc, std::string_view doing) const;

  // Makes a running statement of this connection fail soon. Any thread.
  void interrupt();

 private:
  friend class Statement;
  struct Cache;
  Connection();
  Result<void> open_handle(const OpenOptions& options);
  Result<void> open_as_older_too(const OpenOptions& options);
  Result<void> set_up(const OpenOptions& options);
  Result<sqlite3_stmt*> compile(std::string_view sql, std::string_view* rest);
  void give_back(sqlite3_stmt* statement);
  sqlite3* handle_ = nullptr;
  std::filesystem::path path_;
  std::unique_ptr<Cache> cache_;
  std::shared_ptr<SlowStatements> slow_;
  std::int64_t cache_kib_ = 0;  // 0: SQLite's own
};

}  // namespace muhur::vault

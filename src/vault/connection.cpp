#include "vault/connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <list>
#include <unordered_map>

#include "base/unicode.hpp"
#include "vault/cipher_choice.hpp"
#include "vault/database_files.hpp"
#include "vault/main_file.hpp"
#include "vault/sqlite.hpp"
#include "vault/sqlite_error.hpp"
#include "vault/uri.hpp"
#include "vault/vfs.hpp"

namespace muhur::vault {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCachedStatements = 64;

std::string_view trimmed(std::string_view sql) {
  const auto last = sql.find_last_not_of(" \t\r\n");
  return sql.substr(0, last == sql.npos ? 0 : last + 1);
}

// Made here and not by SQLite, so that it is 0600 from its first moment: SQLite gives the WAL and the
// journal the mode of the database. true: it is new.
Result<bool> make_private_file(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    if (errno == EEXIST) return false;
    return fail_errno(errno, fmt::format("create {}", path.string()));
  }
  ::close(fd);
  const int directory = ::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
  return true;
}

// SQLite answers many PRAGMAs (and EXPLAIN) while it compiles them: a cached one would answer with what
// was true then.
bool answers_when_compiled(sqlite3_stmt* statement) {
  return sqlite3_stmt_isexplain(statement) != 0 ||
         starts_with_ignoring_case(sqlite3_sql(statement), "pragma");
}

int open_flags(OpenMode mode) {
  const int access = mode == OpenMode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  return access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
}

}  // namespace

// Idle statements, most recent first. The key is SQLite's own copy of the text: it lives as long as the
// statement.
struct Connection::Cache {
  std::list<sqlite3_stmt*> idle;
  std::unordered_multimap<std::string_view, std::list<sqlite3_stmt*>::iterator> by_sql;

  sqlite3_stmt* take(std::string_view sql) {
    const auto at = by_sql.find(sql);
    if (at == by_sql.end()) return nullptr;
    sqlite3_stmt* statement = *at->second;
    idle.erase(at->second);
    by_sql.erase(at);
    return statement;
  }
  void put(sqlite3_stmt* statement) {
    idle.push_front(statement);
    by_sql.emplace(sqlite3_sql(statement), idle.begin());
    if (idle.size() > kCachedStatements) drop_oldest();
  }
  void drop_oldest() {
    const auto last = std::prev(idle.end());
    const auto [from, to] = by_sql.equal_range(sqlite3_sql(*last));
    for (auto at = from; at != to; ++at) {
      if (at->second != last) continue;
      by_sql.erase(at);
      break;
    }
    sqlite3_finalize(*last);
    idle.pop_back();
  }
  ~Cache() {
    by_sql.clear();
    for (sqlite3_stmt* statement : idle) sqlite3_finalize(statement);
  }
};

Connection::Connection() : cache_(std::make_unique<Cache>()) {}

Connection::~Connection() {
  cache_.reset();
  // close_v2 and not close: were a Statement to outlive its connection, memory would still be sound.
  sqlite3_close_v2(handle_);
}

Result<std::unique_ptr<Connection>> Connection::open(const OpenOptions& options) {
  MUHUR_CHECK(register_vfs());
  std::unique_ptr<Connection> connection(new Connection);
  connection->path_ = fs::absolute(options.path);
  const fs::path& path = connection->path_;
  bool is_new = false;
  if (options.mode == OpenMode::create) {
    MUHUR_TRY(is_new, make_private_file(path));
  } else {
    std::error_code error;
    if (!fs::exists(path, error))
      return fail(Code::not_found, fmt::format("cannot open {}: no such file", path.string()),
                  "Look at the path, or create the database first");
    // SQLite would take it (one byte too) for a new database, and what was in it for never written.
    if (fs::is_regular_file(path, error) && fs::file_size(path, error) <= 1 && !error)
      return fail(Code::corrupt, fmt::format("cannot open {}: the file is empty", path.string()),
                  "Restore it from a backup");
  }
  Result<void> opened = connection->open_as_older_too(options);
  if (opened) opened = connection->set_up(options);
  if (!opened) {
    connection.reset();
    if (is_new) remove_database(fs::absolute(options.path));
    return std::unexpected(std::move(opened).error());
  }
  connection->slow_ = options.slow;
  if (!options.bare) connection->cache_kib_ = options.profile.cache_kib;
  return connection;
}

Result<void> Connection::open_handle(const OpenOptions& options) {
  const RegisteredUri uri(path_, options.key, options.cipher);
  const std::string name = options.stock_vfs ? path_.string() : uri.text();
  const char* const vfs = options.stock_vfs ? nullptr : kVfsName;
  if (options.stock_vfs && options.key && !options.key->empty())
    return fail(Code::internal, "a key for SQLite's own VFS");
  if (const int rc = sqlite3_open_v2(name.c_str(), &handle_, open_flags(options.mode), vfs); rc != SQLITE_OK)
    return std::unexpected(error_of(rc, "open"));
  if (options.key && !options.key->empty()) {
    int reserve = kReservedBytes;
    sqlite3_file_control(handle_, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
  }
  sqlite3_busy_timeout(handle_, static_cast<int>(options.profile.busy_timeout_ms));
  // The first read of the file, with the key still at hand: a wrong one shows here.
  const int rc = sqlite3_exec(handle_, "PRAGMA schema_version", nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return std::unexpected(error_of(rc, "open"));
  return {};
}

Result<void> Connection::open_as_older_too(const OpenOptions& options) {
  Result<void> opened = open_handle(options);
  const bool may_be_older =
      options.cipher.empty() && options.key && !options.key->empty() && !options.key->is_raw();
  if (opened || !may_be_older || opened.error().code != Code::denied) return opened;
  sqlite3_close_v2(std::exchange(handle_, nullptr));
  OpenOptions older = options;
  older.cipher = "aes256cbc";
  return open_handle(older) ? Result<void>() : opened;
}

Result<void> Connection::set_up(const OpenOptions& options) {
  if (options.bare) return {};
  MUHUR_CHECK(
      apply_profile(*this, options.profile, options.mode == OpenMode::read_only || options.query_only));
  if (options.query_only) return exec("PRAGMA query_only=ON");
  return {};
}

Result<sqlite3_stmt*> Connection::compile(std::string_view sql, std::string_view* rest) {
  sqlite3_stmt* statement = nullptr;
  const char* tail = nullptr;
  const unsigned flags = rest ? 0 : SQLITE_PREPARE_PERSISTENT;
  const int rc =
      sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), flags, &statement, &tail);
  if (rc != SQLITE_OK) return std::unexpected(error_of(rc, sql));
  const std::string_view remaining = sql.substr(static_cast<std::size_t>(tail - sql.data()));
  if (rest) {
    *rest = remaining;
  } else if (!statement || !remaining.empty()) {
    sqlite3_finalize(statement);
    return fail(Code::internal, fmt::format("not one statement: {}", sql));
  }
  return statement;
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sql = trimmed(sql);
  if (sqlite3_stmt* idle = cache_->take(sql)) return Statement(this, idle);
  MUHUR_TRY(sqlite3_stmt * fresh, compile(sql, nullptr));
  return Statement(this, fresh);
}

void Connection::give_back(sqlite3_stmt* statement) {
  if (answers_when_compiled(statement)) {
    sqlite3_finalize(statement);
    return;
  }
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  cache_->put(statement);
}

Result<void> Connection::exec(std::string_view sql) {
  while (!sql.empty()) {
    std::string_view rest;
    MUHUR_TRY(sqlite3_stmt * statement, compile(sql, &rest));
    const std::string_view one = trimmed(sql.substr(0, sql.size() - rest.size()));
    sql = rest;
    if (!statement) continue;  // white space or a comment
    int rc = SQLITE_ROW;
    while (rc == SQLITE_ROW) rc = sqlite3_step(statement);
    if (rc == SQLITE_DONE) {
      sqlite3_finalize(statement);
      continue;
    }
    Error error = error_of(rc, one);
    sqlite3_finalize(statement);
    return std::unexpected(std::move(error));
  }
  return {};
}

namespace {
Error no_row(std::string_view sql) { return {Code::not_found, fmt::format("no row: {}", sql), {}}; }
}  // namespace

Result<std::int64_t> Connection::query_int(std::string_view sql) {
  MUHUR_TRY(Statement statement, prepare(sql));
  MUHUR_TRY(const bool row, statement.step());
  if (!row) return std::unexpected(no_row(sql));
  return statement.int64(0);
}

Result<std::string> Connection::query_text(std::string_view sql) {
  MUHUR_TRY(Statement statement, prepare(sql));
  MUHUR_TRY(const bool row, statement.step());
  if (!row) return std::unexpected(no_row(sql));
  return std::string(statement.text(0));
}

Result<void> Connection::set_cache_kib(std::int64_t kib) {
  if (kib <= 0 || kib == cache_kib_) return {};
  MUHUR_CHECK(exec(fmt::format("PRAGMA cache_size=-{}", kib)));
  cache_kib_ = kib;
  return {};
}

std::int64_t Connection::last_insert_id() const { return sqlite3_last_insert_rowid(handle_); }
std::int64_t Connection::changes() const { return sqlite3_changes64(handle_); }
std::string_view Connection::cipher() const {
  sqlite3_file* handle = nullptr;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&handle));
  File* const file = handle ? file_of(handle) : nullptr;
  MainFile* const encrypted = file ? file->encrypted() : nullptr;
  return encrypted ? name_of(encrypted->codec()->choice().kind) : "none";
}
bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
void Connection::interrupt() { sqlite3_interrupt(handle_); }

Error Connection::error_of(int rc, std::string_view doing) const {
  return sqlite_error(handle_, rc, path_, doing);
}

}  // namespace muhur::vault

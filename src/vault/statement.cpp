#include "vault/statement.hpp"

#include <utility>

#include "vault/connection.hpp"
#include "vault/slow_statements.hpp"
#include "vault/sqlite.hpp"

namespace muhur::vault {

Statement::Statement(Statement&& other) noexcept
    : owner_(other.owner_),
      handle_(std::exchange(other.handle_, nullptr)),
      binding_(other.binding_),
      running_(other.running_),
      began_(other.began_) {}

Statement::~Statement() {
  if (!handle_) return;
  finish();
  owner_->give_back(handle_);
}

void Statement::bind_one(int index, double value) {
  note_binding(sqlite3_bind_double(handle_, index, value));
}

void Statement::bind_one(int index, std::string_view text) {
  const char* at = text.data() ? text.data() : "";  // a null pointer would bind NULL
  note_binding(sqlite3_bind_text64(handle_, index, at, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind_one(int index, ByteView bytes) {
  const void* at = bytes.data() ? static_cast<const void*>(bytes.data()) : "";
  note_binding(sqlite3_bind_blob64(handle_, index, at, bytes.size(), SQLITE_STATIC));
}

void Statement::bind_one(int index, std::nullptr_t) { note_binding(sqlite3_bind_null(handle_, index)); }

void Statement::bind_int64(int index, std::int64_t value) {
  note_binding(sqlite3_bind_int64(handle_, index, value));
}

void Statement::bind_zeroblob(int index, std::uint64_t size) {
  note_binding(sqlite3_bind_zeroblob64(handle_, index, size));
}

Result<bool> Statement::step() {
  if (binding_ != 0) return fail_step(std::exchange(binding_, 0));
  if (!running_) {
    running_ = true;
    if (owner_->slow_) began_ = std::chrono::steady_clock::now();
  }
  const int rc = sqlite3_step(handle_);
  if (rc == SQLITE_ROW) return true;
  if (rc != SQLITE_DONE) return fail_step(rc);
  finish();
  return false;
}

Result<void> Statement::run() {
  while (true) {
    MUHUR_TRY(const bool row, step());
    if (!row) return {};
  }
}

Result<std::int64_t> Statement::run_counted() {
  MUHUR_CHECK(run());
  return owner_->changes();
}

void Statement::reset() { finish(); }

// Ends an execution: notes it when it was slow, and makes the statement ready for the next.
void Statement::finish() {
  if (!std::exchange(running_, false)) return;
  if (SlowStatements* slow = owner_->slow_.get()) {
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began_);
    if (took >= slow->threshold()) {
      const int scans = sqlite3_stmt_status(handle_, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
      const int sorts = sqlite3_stmt_status(handle_, SQLITE_STMTSTATUS_SORT, 1);
      slow->note(sqlite3_sql(handle_), took, static_cast<std::uint64_t>(scans),
                 static_cast<std::uint64_t>(sorts));
    }
  }
  sqlite3_reset(handle_);
}

Result<bool> Statement::fail_step(int rc) {
  Error error = owner_->error_of(rc, sqlite3_sql(handle_));
  finish();
  return std::unexpected(std::move(error));
}

bool Statement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
std::int64_t Statement::int64(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

std::string_view Statement::text(int column) const {
  const auto* at = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (!at) return {};
  return {at, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

ByteView Statement::blob(int column) const {
  const auto* at = static_cast<const Byte*>(sqlite3_column_blob(handle_, column));
  if (!at) return {};
  return {at, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

}  // namespace muhur::vault

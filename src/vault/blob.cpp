#include "vault/blob.hpp"

#include <fmt/format.h>

#include <utility>

#include "vault/connection.hpp"
#include "vault/sqlite.hpp"

namespace muhur::vault {
namespace {

// SQLite says "no such row" and "wrong type" as plain SQLITE_ERROR.
Error blob_error(Connection& connection, int rc, std::string_view doing) {
  Error error = connection.error_of(rc, doing);
  if (rc == SQLITE_ERROR) error.code = Code::not_found;
  return error;
}

}  // namespace

Result<Blob> Blob::open(Connection& connection, const char* table, const char* column, std::int64_t rowid,
                        bool writable) {
  sqlite3_blob* handle = nullptr;
  const int rc =
      sqlite3_blob_open(connection.handle(), "main", table, column, rowid, writable ? 1 : 0, &handle);
  if (rc != SQLITE_OK) {
    Error error = blob_error(connection, rc, fmt::format("open {}.{} of", table, column));
    sqlite3_blob_close(handle);
    return std::unexpected(std::move(error));
  }
  return Blob(&connection, handle);
}

Blob::Blob(Blob&& other) noexcept : owner_(other.owner_), handle_(std::exchange(other.handle_, nullptr)) {}
Blob::~Blob() { sqlite3_blob_close(handle_); }

std::uint64_t Blob::size() const { return static_cast<std::uint64_t>(sqlite3_blob_bytes(handle_)); }

Result<void> Blob::check_range(std::uint64_t offset, std::size_t length) const {
  if (offset <= size() && length <= size() - offset) return {};
  return fail(Code::limit, fmt::format("{} bytes at {} of a value of {}", length, offset, size()));
}

Result<void> Blob::read(std::uint64_t offset, MutableBytes out) {
  MUHUR_CHECK(check_range(offset, out.size()));
  if (out.empty()) return {};
  const int rc =
      sqlite3_blob_read(handle_, out.data(), static_cast<int>(out.size()), static_cast<int>(offset));
  if (rc != SQLITE_OK) return std::unexpected(owner_->error_of(rc, "read a value of"));
  return {};
}

Result<void> Blob::write(std::uint64_t offset, ByteView bytes) {
  MUHUR_CHECK(check_range(offset, bytes.size()));
  if (bytes.empty()) return {};
  const int rc =
      sqlite3_blob_write(handle_, bytes.data(), static_cast<int>(bytes.size()), static_cast<int>(offset));
  if (rc != SQLITE_OK) return std::unexpected(owner_->error_of(rc, "write a value of"));
  return {};
}

Result<void> Blob::move_to(std::int64_t rowid) {
  const int rc = sqlite3_blob_reopen(handle_, rowid);
  if (rc != SQLITE_OK) return std::unexpected(blob_error(*owner_, rc, "move to another value of"));
  return {};
}

}  // namespace muhur::vault

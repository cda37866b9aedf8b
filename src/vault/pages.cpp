#include "vault/pages.hpp"

#include <fmt/format.h>

#include "vault/sqlite.hpp"

namespace muhur::vault {

Result<Pages> Pages::of(Connection& connection) {
  Pages pages;
  pages.connection_ = &connection;
  int rc = sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &pages.file_);
  if (rc != SQLITE_OK || !pages.file_ || !pages.file_->pMethods)
    return std::unexpected(connection.error_of(rc ? rc : SQLITE_CANTOPEN, "look into"));
  sqlite3_int64 bytes = 0;
  rc = pages.file_->pMethods->xFileSize(pages.file_, &bytes);
  if (rc != SQLITE_OK) return std::unexpected(connection.error_of(rc, "measure"));
  std::array<Byte, 100> header{};
  if (bytes > 0) {
    rc = pages.file_->pMethods->xRead(pages.file_, header.data(), header.size(), 0);
    if (rc != SQLITE_OK) return std::unexpected(connection.error_of(rc, "read page 1 of"));
  }
  const std::uint32_t stored = load_be16(header.data() + 16);
  pages.size_ = stored == 1 ? 65536 : stored;
  pages.reserved_ = header[20];
  if (bytes == 0) {  // a database without a page yet
    MUHUR_TRY(const std::int64_t size, connection.query_int("PRAGMA page_size"));
    pages.size_ = static_cast<std::uint32_t>(size);
  }
  if (pages.size_ < 512 || pages.size_ > 65536 || pages.usable() < 480)
    return fail(Code::corrupt, fmt::format("{} has no page size", connection.path().string()),
                "Restore it from a backup");
  pages.count_ = static_cast<std::uint32_t>(bytes / pages.size_);
  return pages;
}

Result<Bytes> Pages::read(std::uint32_t page) const {
  if (page == 0 || page > count_) return fail(Code::corrupt, fmt::format("there is no page {}", page));
  Bytes bytes(size_);
  const int rc = file_->pMethods->xRead(file_, bytes.data(), static_cast<int>(size_),
                                        static_cast<sqlite3_int64>(page - 1) * size_);
  if (rc == SQLITE_OK) return bytes;
  const int kind = rc & 0xff;
  if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB)
    return fail(Code::corrupt, fmt::format("page {} does not verify", page));
  return std::unexpected(connection_->error_of(rc, "read a page of"));
}

}  // namespace muhur::vault

#pragma once
// One BLOB (or text) value read or written in pieces, without holding it in memory. Its size cannot change:
// make room first with Statement::bind_zeroblob. Of its connection's thread only; must end before the
// connection's transaction and the connection do.

#include <cstdint>

#include "base/bytes.hpp"
#include "base/error.hpp"

struct sqlite3_blob;

namespace muhur::vault {

class Connection;

class Blob {
 public:
  // table and column are constants of the program. not_found: no such row, or the value is neither BLOB
  // nor text. `writable` fails on a column that is indexed.
  static Result<Blob> open(Connection& connection, const char* table, const char* column, std::int64_t rowid,
                           bool writable = false);
  Blob(Blob&& other) noexcept;
  Blob& operator=(Blob&&) = delete;
  ~Blob();

  std::uint64_t size() const;
  // All of `out`, or an error (limit: beyond the end; conflict: the row was changed or deleted since).
  Result<void> read(std::uint64_t offset, MutableBytes out);
  Result<void> write(std::uint64_t offset, ByteView bytes);
  // The same column of another row: cheaper than open(). After a failure only the destructor is useful.
  Result<void> move_to(std::int64_t rowid);

 private:
  Blob(Connection* owner, sqlite3_blob* handle) : owner_(owner), handle_(handle) {}
  Result<void> check_range(std::uint64_t offset, std::size_t length) const;
  Connection* owner_;
  sqlite3_blob* handle_;
};

}  // namespace muhur::vault

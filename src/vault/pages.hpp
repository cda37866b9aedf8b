#pragma once
// The pages of a database's file as the cipher opens them, below SQLite's own reading: what check and
// salvage look at. Private to the vault. Nobody may write or checkpoint the file meanwhile.

#include <cstdint>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "vault/connection.hpp"

struct sqlite3_file;

namespace muhur::vault {

class Pages {
 public:
  // The connection must outlive it. Looks at page 1.
  static Result<Pages> of(Connection& connection);

  std::uint32_t count() const { return count_; }
  std::uint32_t size() const { return size_; }
  std::uint32_t reserved() const { return reserved_; }
  std::uint32_t usable() const { return size_ - reserved_; }
  // The page that SQLite's locks live on (at 1 GiB): never written.
  std::uint32_t lock_page() const { return 0x4000'0000U / size_ + 1; }

  // 1 <= page <= count(). corrupt: its tag does not fit (or page 0, or beyond the end).
  Result<Bytes> read(std::uint32_t page) const;

 private:
  Connection* connection_ = nullptr;
  sqlite3_file* file_ = nullptr;
  std::uint32_t count_ = 0, size_ = 0, reserved_ = 0;
};

}  // namespace muhur::vault

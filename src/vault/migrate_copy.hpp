#pragma once
// The copy that migrate_cipher() makes beside a database: kept when a run is interrupted, and gone on with by
// the next. Private to the vault.
//
// Besides what it copies, it holds one table, its books, under a name that the source does not have:
//   what      name               rows            last                       whole
//   'source'  its identity       0               1: it was in WAL mode      -
//   'table'   a table's name     rows copied     rowid of the last of them  1: no more rows
// Rows and their entry are of one transaction. Order: all tables, empty; their rows (sqlite_sequence last,
// for the inserts write to it); indexes; views, triggers and virtual tables, whose own content is in tables.
// When all is verified the books are dropped: a copy without them is no unfinished one.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "vault/connection.hpp"

namespace muhur::vault {

class MigrationCopy {
 public:
  // What the copy is of and is made with; outlives it. The source does not change meanwhile.
  struct Plan {
    Connection& source;
    std::filesystem::path path;
    const Key& key;
    std::string identity;  // differs whenever the source's content does
    std::uint64_t batch_bytes;
    Durability durability;
    std::function<bool()> go_on;    // false: stop here; never empty
    std::function<void()> on_step;  // after each batch, each index, and within long ones; never empty
  };

  // `path` is there, empty. `wal`: the source was in WAL mode.
  static Result<MigrationCopy> begin(const Plan& plan, bool wal);
  // denied, corrupt: it is under another key, damaged, or nothing that begin() left. conflict: it is of
  // another source, or of this one before it changed.
  static Result<MigrationCopy> resume(const Plan& plan);

  bool was_wal() const { return wal_; }
  std::uint64_t rows_kept() const { return rows_kept_; }      // by earlier runs
  std::uint64_t rows_copied() const { return rows_copied_; }  // by this one
  Connection& connection() { return *copy_; }

  // All that is still missing. closed: go_on said no; what was done stays.
  Result<void> complete();
  // corrupt: schema, header or a row differs from the source's. `on_row` after each row that does not.
  Result<void> compare(const std::function<void()>& on_row);
  Result<void> drop_books();

 private:
  explicit MigrationCopy(const Plan& plan) : plan_(&plan) {}
  Result<void> open(OpenMode mode);
  Result<void> choose_books();
  Result<void> make_tables(bool wal);
  Result<void> copy_rows(const std::string& table);
  Result<void> note(const std::string& table, std::uint64_t rows, std::int64_t last, bool whole);
  Result<void> make_indexes();
  Result<void> make_rest();
  Result<void> pause() const;
  const Plan* plan_;
  std::unique_ptr<Connection> copy_;
  std::string books_;  // quoted
  std::string books_name_;
  bool wide_ = false;  // UTF-16
  bool wal_ = false;
  std::uint64_t rows_kept_ = 0;
  std::uint64_t rows_copied_ = 0;
};

}  // namespace muhur::vault

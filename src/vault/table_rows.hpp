#pragma once
// The rows of any table as they are stored: rowids where they can be named, values with their types, no
// generated columns. For copying a database row by row and for comparing two. Private to the vault.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vault/connection.hpp"

struct sqlite3_stmt;

namespace muhur::vault {

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const;
};
using RawStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

Result<RawStatement> compile_raw(Connection& connection, const std::string& sql);

struct TableRows {
  std::string name;
  std::string rowid;  // what its rowid is called; empty: WITHOUT ROWID, or columns have taken all its names
  std::vector<std::string> columns;  // quoted

  static Result<TableRows> of(Connection& connection, const std::string& name);
  // In the order of the table's own tree, which is the same in every run over the same file. Begins after
  // `rows` rows, the last of which had `last` for its rowid; null: from the first. With a rowid it is column
  // 0.
  Result<RawStatement> read(Connection& connection, std::uint64_t rows,
                            std::optional<std::int64_t> last) const;
  // One parameter a column of read(), in its order.
  Result<RawStatement> write(Connection& connection) const;
};

// All rows of the two in step: types, numbers, bytes of text and blobs. `wide`: both databases are UTF-16.
// `on_row` is called after each equal one.
Result<bool> same_rows(Connection& first, sqlite3_stmt* one, Connection& second, sqlite3_stmt* other,
                       bool wide, const std::function<void()>& on_row);
// What a row's texts and blobs take, without changing their encoding.
std::uint64_t bytes_of_row(sqlite3_stmt* row, bool wide);

}  // namespace muhur::vault

#include "vault/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/unicode.hpp"
#include "vault/salvage_table.hpp"
#include "vault/sqlite.hpp"

namespace muhur::vault {
namespace {

Result<bool> next(Connection& connection, sqlite3_stmt* statement) {
  const int rc = sqlite3_step(statement);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return std::unexpected(connection.error_of(rc, "read a table"));
}

// sqlite3_column_bytes() would turn UTF-16 into UTF-8, and what is not well formed into something else.
std::size_t size_of(sqlite3_stmt* row, int column, bool wide) {
  return static_cast<std::size_t>(wide ? sqlite3_column_bytes16(row, column)
                                       : sqlite3_column_bytes(row, column));
}

bool has_bytes(int type) { return type == SQLITE_TEXT || type == SQLITE_BLOB; }

bool same_value(sqlite3_stmt* one, sqlite3_stmt* other, int column, bool wide) {
  const int type = sqlite3_column_type(one, column);
  if (type != sqlite3_column_type(other, column)) return false;
  if (type == SQLITE_INTEGER) return sqlite3_column_int64(one, column) == sqlite3_column_int64(other, column);
  if (type == SQLITE_FLOAT)
    return std::bit_cast<std::uint64_t>(sqlite3_column_double(one, column)) ==
           std::bit_cast<std::uint64_t>(sqlite3_column_double(other, column));
  if (!has_bytes(type)) return true;
  const void* const first = sqlite3_column_blob(one, column);
  const void* const second = sqlite3_column_blob(other, column);
  const std::size_t size = size_of(one, column, wide);
  return size == size_of(other, column, wide) && (size == 0 || std::memcmp(first, second, size) == 0);
}

}  // namespace

void FinalizeStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<RawStatement> compile_raw(Connection& connection, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int rc = sqlite3_prepare_v2(connection.handle(), sql.c_str(), -1, &statement, nullptr);
  if (rc != SQLITE_OK) return std::unexpected(connection.error_of(rc, "look at a table"));
  return RawStatement(statement);
}

Result<TableRows> TableRows::of(Connection& connection, const std::string& name) {
  TableRows table{.name = name};
  bool without_rowid = false;
  {
    MUHUR_TRY(Statement list,
              connection.prepare("SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'"));
    MUHUR_TRY(const bool row, list.bind(name).step());
    if (!row) return fail(Code::corrupt, fmt::format("{} has no table {}", connection.path().string(), name));
    without_rowid = list.int64(0) != 0;
  }
  MUHUR_TRY(Statement columns,
            connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1, 'main') ORDER BY cid"));
  columns.bind(name);
  std::vector<std::string> taken;
  while (true) {
    MUHUR_TRY(const bool row, columns.step());
    if (!row) break;
    taken.push_back(to_lower_ascii(columns.text(0)));
    if (columns.int64(1) == 0) table.columns.push_back(quoted_name(columns.text(0)));
  }
  if (without_rowid) return table;
  for (const char* candidate : {"rowid", "_rowid_", "oid"}) {
    if (std::ranges::find(taken, candidate) != taken.end()) continue;
    table.rowid = candidate;
    break;
  }
  return table;
}

// NOT INDEXED: an index that covers the columns would be read in its own order.
Result<RawStatement> TableRows::read(Connection& connection, std::uint64_t rows,
                                     std::optional<std::int64_t> last) const {
  std::string sql = fmt::format("SELECT {}{} FROM main.{} NOT INDEXED", rowid.empty() ? "" : rowid + ", ",
                                fmt::join(columns, ", "), quoted_name(name));
  if (rowid.empty())
    sql += " LIMIT -1 OFFSET ?";
  else
    sql += fmt::format("{} ORDER BY {}", last ? fmt::format(" WHERE {} > ?", rowid) : "", rowid);
  MUHUR_TRY(RawStatement statement, compile_raw(connection, sql));
  if (rowid.empty())
    sqlite3_bind_int64(statement.get(), 1, static_cast<sqlite3_int64>(rows));
  else if (last)
    sqlite3_bind_int64(statement.get(), 1, *last);
  return statement;
}

// OR ABORT: no ON CONFLICT of the table's own may drop a row in silence.
Result<RawStatement> TableRows::write(Connection& connection) const {
  std::vector<std::string_view> names(columns.begin(), columns.end());
  if (!rowid.empty()) names.insert(names.begin(), rowid);
  const std::vector<std::string_view> values(names.size(), "?");
  return compile_raw(connection, fmt::format("INSERT OR ABORT INTO main.{}({}) VALUES({})", quoted_name(name),
                                             fmt::join(names, ", "), fmt::join(values, ", ")));
}

Result<bool> same_rows(Connection& first, sqlite3_stmt* one, Connection& second, sqlite3_stmt* other,
                       bool wide, const std::function<void()>& on_row) {
  const int columns = sqlite3_column_count(one);
  if (columns != sqlite3_column_count(other)) return false;
  while (true) {
    MUHUR_TRY(const bool here, next(first, one));
    MUHUR_TRY(const bool there, next(second, other));
    if (here != there) return false;
    if (!here) return true;
    for (int column = 0; column < columns; ++column)
      if (!same_value(one, other, column, wide)) return false;
    on_row();
  }
}

std::uint64_t bytes_of_row(sqlite3_stmt* row, bool wide) {
  std::uint64_t bytes = 0;
  for (int column = 0; column < sqlite3_column_count(row); ++column)
    bytes += has_bytes(sqlite3_column_type(row, column)) ? size_of(row, column, wide) + 2 : 8;
  return bytes;
}

}  // namespace muhur::vault

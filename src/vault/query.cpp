#include "vault/query.hpp"

#include "vault/sqlite.hpp"

namespace muhur::vault {
namespace {

Value value_of(sqlite3_stmt* statement, int column) {
  const auto bytes = [&] {
    const auto* at = static_cast<const Byte*>(sqlite3_column_blob(statement, column));
    return ByteView{at, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
  };
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT:
      return to_string(bytes());
    case SQLITE_BLOB: {
      const ByteView view = bytes();
      return Bytes(view.begin(), view.end());
    }
    default:
      return std::monostate();
  }
}

int run(sqlite3_stmt* statement, const OnRow& on_row) {
  std::vector<std::string> columns;
  std::vector<Value> row;
  while (true) {
    const int rc = sqlite3_step(statement);
    if (rc != SQLITE_ROW) return rc;
    if (columns.empty())
      for (int i = 0; i < sqlite3_column_count(statement); ++i)
        columns.emplace_back(sqlite3_column_name(statement, i));
    row.clear();
    for (int i = 0; i < sqlite3_data_count(statement); ++i) row.push_back(value_of(statement, i));
    if (!on_row(columns, row)) return SQLITE_DONE;
  }
}

}  // namespace

Result<void> query(Connection& connection, std::string_view sql, const OnRow& on_row) {
  sqlite3* const handle = connection.handle();
  while (!sql.empty()) {
    sqlite3_stmt* statement = nullptr;
    const char* tail = nullptr;
    int rc = sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &statement, &tail);
    if (rc == SQLITE_OK && statement) rc = run(statement, on_row);
    if (rc != SQLITE_OK && rc != SQLITE_DONE) {
      Error error = connection.error_of(rc, "run what was typed");
      sqlite3_finalize(statement);
      return std::unexpected(std::move(error));
    }
    sqlite3_finalize(statement);
    sql.remove_prefix(static_cast<std::size_t>(tail - sql.data()));
  }
  return {};
}

bool is_complete(const std::string& sql) { return sqlite3_complete(sql.c_str()) != 0; }

}  // namespace muhur::vault

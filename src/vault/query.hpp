#pragma once
// SQL that a person types: any statement, its columns by name, its values as they come. For shells and
// reports; programs use Statement.

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "vault/connection.hpp"

namespace muhur::vault {

using Value = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;  // monostate: NULL

// Called for each row; false: no more rows of this statement.
using OnRow = std::function<bool(const std::vector<std::string>& columns, const std::vector<Value>& row)>;

// Runs one or more statements. On failure those before the failed one have taken effect. The error holds
// SQLite's message, which may repeat a part of `sql`.
Result<void> query(Connection& connection, std::string_view sql, const OnRow& on_row);

// Whether `sql` ends with a whole statement.
bool is_complete(const std::string& sql);

}  // namespace muhur::vault

#pragma once
// Schema versions. Each migration runs in a transaction of its own together with its row in the table
// `schema_version(version INTEGER PRIMARY KEY, name TEXT, applied_ms INTEGER)`.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "vault/connection.hpp"

namespace muhur::vault {

struct Migration {
  int version;  // 1, 2, 3 …: dense, ascending, never changed once released
  std::string_view name;
  std::string_view sql;                         // may be empty when `step` does the work
  Result<void> (*step)(Connection&) = nullptr;  // runs after sql, in the same transaction
};

// Applies what is missing. A database newer than the program is refused (unsupported) untouched.
Result<void> migrate(Connection& connection, std::span<const Migration> migrations);
Result<int> schema_version(Connection& connection);

}  // namespace muhur::vault

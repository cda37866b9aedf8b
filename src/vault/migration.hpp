#pragma once
// Schema versions. Each migration runs in a transaction of its own together with its row in the table
// `schema_version(version INTEGER PRIMARY KEY, name TEXT, applied_ms INTEGER)`. A part of the program whose
// tables lie in a file of another part's counts its versions in a table of its own, which it names.

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

inline constexpr std::string_view kSchemaVersion = "schema_version";

// Applies what is missing. A database newer than the program is refused (unsupported) untouched. Not inside a
// transaction: of a Database in use, through exclusive(). `table` is a constant of the program.
Result<void> migrate(Connection& connection, std::span<const Migration> migrations,
                     std::string_view table = kSchemaVersion);
Result<int> schema_version(Connection& connection, std::string_view table = kSchemaVersion);

}  // namespace muhur::vault

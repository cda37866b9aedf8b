#pragma once
// Another key for a database in place, below SQLite's own writing. Private to the vault; the engine's way to
// it is vault/rekey.hpp.

#include <functional>
#include <memory>
#include <string>

#include "vault/main_file.hpp"

namespace muhur::vault {

using RekeyProgress = std::function<void(std::uint64_t steps_done, std::uint64_t steps_in_all)>;

// Cipher and salt stay. Nobody else may use the database meanwhile, and `db` no transaction of it
// (SQLITE_BUSY). A crash at any moment leaves a rollback journal that every reader of the format plays back
// under the old key. On failure `why` says what, and the database is as it was.
int rekey_pages(sqlite3* db, const char* schema, MainFile& file, std::shared_ptr<const Key> key,
                const RekeyProgress& progress, std::string& why);

}  // namespace muhur::vault

#pragma once
// From SQLite's result codes to Errors that name the file and a remedy. Private to the vault.

#include <filesystem>
#include <string_view>

#include "base/error.hpp"

struct sqlite3;

namespace muhur::vault {

// `handle` may be null. `doing` ("open", "SELECT …") is a constant of the program.
Error sqlite_error(sqlite3* handle, int rc, const std::filesystem::path& file, std::string_view doing);

}  // namespace muhur::vault

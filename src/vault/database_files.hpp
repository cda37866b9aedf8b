#pragma once
// A database as files: itself and what SQLite keeps beside it.

#include <filesystem>

#include "base/error.hpp"

namespace muhur::vault {

// With its WAL, its shared memory and its journal. What is not there, or cannot be removed, is passed over.
void remove_database(const std::filesystem::path& path);

// The file's bytes are on the disk, whoever wrote them.
Result<void> flush_file(const std::filesystem::path& path);
// So are the names in a directory.
Result<void> flush_directory(const std::filesystem::path& path);

}  // namespace muhur::vault

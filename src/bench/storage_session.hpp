#pragma once
// A database opened as a configuration says: through the vault with the seed's passphrase, or, without a
// cipher, through SQLite's own VFS, so that "unencrypted" is SQLite as it comes.

#include <filesystem>
#include <memory>

#include "bench/storage_config.hpp"
#include "vault/connection.hpp"

namespace muhur::bench {

// Makes DIRECTORY/bench.db (removed before when it is there, with its WAL) and applies the PRAGMAs. Sets
// SQLite's temp directory for the whole process.
Result<std::unique_ptr<vault::Connection>> open_session(const StorageConfig& config,
                                                        const std::filesystem::path& directory);
std::filesystem::path session_file(const std::filesystem::path& directory);

// One PRAGMA of a constant name, run as the seed runs it; the value it answers is thrown away.
Result<void> set_pragma(vault::Connection& db, std::string_view name, std::string_view value);

}  // namespace muhur::bench

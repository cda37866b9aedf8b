#pragma once
// A copy of a database while it is in use, under a key of its own (or none), page by page.
//
// The copy is of one moment: a reader's snapshot is held all the while, so writers go on undisturbed and
// the copy never starts over; the WAL cannot be emptied until it ends. It is written to PATH.part, every
// page of it is read back and verified, and only then it takes its name: a file called PATH is whole.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "vault/database.hpp"

namespace muhur::vault {

struct BackupOptions {
  std::filesystem::path path;  // must not exist
  const Key* key = nullptr;    // null or empty: a plain copy, readable by any SQLite
  std::uint32_t pages_per_step = 512;
  // Between steps; false: stop (closed), nothing is left behind.
  std::function<bool(std::uint64_t pages_done, std::uint64_t pages_in_all)> progress;
};

struct BackupReport {
  std::uint64_t pages = 0;
  std::uint64_t bytes = 0;
};

// Blocks. exists: PATH is there already. On any failure nothing is left behind.
Result<BackupReport> backup(Database& database, const BackupOptions& options);
// The same from a connection without a writer beside it.
Result<BackupReport> backup(Connection& source, const BackupOptions& options);

}  // namespace muhur::vault

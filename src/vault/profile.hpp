#pragma once
// The PRAGMA profile of a database: applied in the order that takes effect (page_size and auto_vacuum
// before journal_mode creates the file), each read back; a value that did not take is an error.

#include <cstdint>
#include <filesystem>

#include "base/error.hpp"

namespace muhur::vault {

class Connection;

enum class Durability {
  normal,  // synchronous NORMAL: a commit survives a crash of the process, not always of the power
  full,    // synchronous FULL: an acknowledged commit survives power loss
  off,     // synchronous OFF: benchmarks only
  extra,   // synchronous EXTRA: benchmarks only
};
enum class AutoVacuum { none, full, incremental };

struct Profile {
  Durability durability = Durability::full;
  AutoVacuum auto_vacuum = AutoVacuum::incremental;
  std::uint32_t page_size = 4096;  // of a new file
  std::int64_t cache_kib = 2048;   // page cache of one connection
  std::uint32_t busy_timeout_ms = 30'000;
  std::uint32_t wal_autocheckpoint = 1000;    // pages; 0: only the background checkpointer
  std::int64_t wal_limit_bytes = 64LL << 20;  // journal_size_limit
  int temp_store = 1;                         // 1 file (encrypted by the vault's VFS), 2 memory
  std::uint32_t analysis_limit = 400;
  bool optimize_on_open = true;  // PRAGMA optimize=0x10002
};

// Applies and asserts. On failure names the PRAGMA, the value wanted and the value read.
// page_size, auto_vacuum and encoding belong to a file from its birth: they are set and asserted on a new
// file and left alone on an old one (VACUUM changes them). `read_only` leaves out what writes the file.
// Besides the profile every connection gets: secure_delete and foreign_keys on, trusted_schema off,
// cell_size_check on, double-quoted strings refused, schema tables protected (DEFENSIVE).
Result<void> apply_profile(Connection& connection, const Profile& profile, bool read_only);

// Where SQLite puts temp files (encrypted by the VFS), for the whole process: made when absent, 0700.
// Call once, before the first database is opened. Without it they go to the system's temp directory.
Result<void> set_temp_directory(const std::filesystem::path& directory);

}  // namespace muhur::vault

#pragma once
// Housekeeping in steps that a scheduler calls when it has time; each says what it did. All but a passive
// checkpoint run alone on the writer's connection (between commits), so each is short, but vacuum().
//
//   optimize   once a day: refreshes the planner's statistics where they went stale
//   reclaim    when idle: gives free pages back to the file system, a bounded number a call
//   checkpoint often: moves the WAL into the database; TRUNCATE when idle, or when the WAL passed its cap
//   vacuum     rarely: rewrites a file of which more than a quarter is holes
//
// Any thread that may block.

#include <cstdint>
#include <string>

#include "vault/database.hpp"

namespace muhur::vault {

struct Optimized {
  std::uint64_t tables_analyzed = 0;
};
Result<Optimized> optimize(Database& database);

struct Reclaimed {
  std::uint64_t pages_freed = 0;  // by this call
  std::uint64_t pages_left = 0;   // still on the freelist
};
// At most `max_pages`. Nothing to do (and no error) unless the file has auto_vacuum INCREMENTAL.
Result<Reclaimed> reclaim(Database& database, std::uint32_t max_pages = 256);

enum class CheckpointMode {
  passive,   // what can be moved without waiting for anybody, while the writer goes on
  truncate,  // waits for readers (a tenth of a second) and leaves an empty WAL
};
struct Checkpointed {
  CheckpointMode mode = CheckpointMode::passive;
  bool complete = false;     // every frame is in the database
  std::uint64_t frames = 0;  // in the WAL
  std::uint64_t moved = 0;   // of them, in the database now
  std::uint64_t wal_bytes_after = 0;
};
// `idle` or a WAL beyond `cap_bytes`: TRUNCATE; else PASSIVE. A reader in the way is no error: complete is
// false then.
Result<Checkpointed> checkpoint(Database& database, bool idle, std::uint64_t cap_bytes = 64ULL << 20);

struct Vacuumed {
  bool done = false;
  std::string why_not;  // when not done: "12 % free, below 25 %"
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
};
// Only when more than `above_percent` of the pages are free. It needs twice the file's size on the file
// system for a moment: where that is not there, no_space and nothing is touched.
Result<Vacuumed> vacuum(Database& database, double above_percent = 25.0);

}  // namespace muhur::vault

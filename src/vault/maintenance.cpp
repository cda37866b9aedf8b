#include "vault/maintenance.hpp"

#include <fmt/format.h>

#include "vault/sqlite.hpp"
#include "vault/statistics.hpp"

namespace muhur::vault {
namespace {

// f(Connection&) -> Result<T> alone on the writer's connection.
template <class T, class F>
Result<T> alone(Database& database, F f) {
  T value{};
  MUHUR_CHECK(database.exclusive([&](Connection& connection) -> Result<void> {
    MUHUR_TRY(value, f(connection));
    return {};
  }));
  return value;
}

}  // namespace

// Bit 0x1 lists what it would do instead of doing it: that is how many tables will be analyzed.
Result<Optimized> optimize(Database& database) {
  return alone<Optimized>(database, [](Connection& connection) -> Result<Optimized> {
    Optimized done;
    MUHUR_TRY(Statement plan, connection.prepare("PRAGMA optimize(0x10003)"));
    while (true) {
      MUHUR_TRY(const bool row, plan.step());
      if (!row) break;
      ++done.tables_analyzed;
    }
    MUHUR_CHECK(connection.exec("PRAGMA optimize(0x10002)"));
    return done;
  });
}

Result<Reclaimed> reclaim(Database& database, std::uint32_t max_pages) {
  return alone<Reclaimed>(database, [&](Connection& connection) -> Result<Reclaimed> {
    MUHUR_TRY(const FileFigures before, file_figures(connection));
    MUHUR_TRY(const std::int64_t mode, connection.query_int("PRAGMA auto_vacuum"));
    constexpr int kIncremental = 2;
    if (mode != kIncremental || before.freelist_count == 0 || max_pages == 0)
      return Reclaimed{0, before.freelist_count};
    MUHUR_CHECK(connection.exec(fmt::format("PRAGMA incremental_vacuum({})", max_pages)));
    MUHUR_TRY(const FileFigures after, file_figures(connection));
    return Reclaimed{before.page_count - after.page_count, after.freelist_count};
  });
}

namespace {

// How long emptying the WAL may keep the writer from its work when a reader is in the way.
constexpr int kTruncateWaitMs = 100;

Result<Checkpointed> run_checkpoint(Connection& connection, CheckpointMode mode) {
  int frames = 0, moved = 0;
  const int how = mode == CheckpointMode::truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  const int rc = sqlite3_wal_checkpoint_v2(connection.handle(), "main", how, &frames, &moved);
  if (rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY)
    return std::unexpected(connection.error_of(rc, "checkpoint"));
  Checkpointed done{.mode = mode};
  done.frames = static_cast<std::uint64_t>(std::max(frames, 0));
  done.moved = static_cast<std::uint64_t>(std::max(moved, 0));
  done.complete = rc == SQLITE_OK && frames == moved;
  MUHUR_TRY(const FileFigures after, file_figures(connection));
  done.wal_bytes_after = after.wal_bytes;
  return done;
}

// On a reader's connection, while the writer goes on.
Result<Checkpointed> passive(Database& database) {
  MUHUR_TRY(const auto lease, database.borrow());
  MUHUR_CHECK(lease->run("ROLLBACK"));  // a checkpoint is not done inside a transaction
  return run_checkpoint(*lease, CheckpointMode::passive);
}

Result<Checkpointed> truncating(Connection& connection) {
  MUHUR_TRY(const std::int64_t usual, connection.query_int("PRAGMA busy_timeout"));
  sqlite3_busy_timeout(connection.handle(), kTruncateWaitMs);
  auto done = run_checkpoint(connection, CheckpointMode::truncate);
  sqlite3_busy_timeout(connection.handle(), static_cast<int>(usual));
  return done;
}

}  // namespace

// What can be moved without the writer is moved first, so that it waits for the rest only.
Result<Checkpointed> checkpoint(Database& database, bool idle, std::uint64_t cap_bytes) {
  MUHUR_TRY(Checkpointed done, passive(database));
  if (done.wal_bytes_after > 0 && (idle || done.wal_bytes_after > cap_bytes)) {
    MUHUR_TRY(done, alone<Checkpointed>(database, truncating));
  }
  database.note_checkpoint({Clock::system().now_ms(), done.complete, done.frames, done.moved});
  return done;
}

Result<Vacuumed> vacuum(Database& database, double above_percent) {
  return alone<Vacuumed>(database, [&](Connection& connection) -> Result<Vacuumed> {
    MUHUR_TRY(const FileFigures before, file_figures(connection));
    Vacuumed done{.bytes_before = before.page_count * before.page_size};
    done.bytes_after = done.bytes_before;
    if (before.fragmentation() <= above_percent) {
      done.why_not = fmt::format("{:.0f} % free, not above {:.0f} %", before.fragmentation(), above_percent);
      return done;
    }
    std::error_code error;
    const auto space = std::filesystem::space(connection.path().parent_path(), error);
    if (error)
      return fail_errno(error.value(), fmt::format("measure the disk of {}", connection.path().string()));
    const std::uint64_t needed = 2 * done.bytes_before;
    if (space.available < needed)
      return fail(Code::no_space,
                  fmt::format("cannot vacuum {}: it needs {} bytes for a moment, {} are free",
                              connection.path().string(), needed, space.available),
                  "Free some space, or let `reclaim` shrink it step by step");
    MUHUR_CHECK(connection.exec("VACUUM"));
    MUHUR_TRY(const FileFigures after, file_figures(connection));
    done.done = true;
    done.bytes_after = after.page_count * after.page_size;
    return done;
  });
}

}  // namespace muhur::vault

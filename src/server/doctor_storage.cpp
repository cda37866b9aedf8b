// Room, logs, readers, slow statements, backups: what the databases need around them.
#include <fmt/format.h>

#include <filesystem>

#include "server/backup_record.hpp"
#include "server/databases.hpp"
#include "server/doctor.hpp"
#include "server/housekeeping.hpp"
#include "server/operations.hpp"
#include "vault/statistics.hpp"

namespace muhur::server {
namespace {

namespace fs = std::filesystem;

constexpr double kMuchFree = 25.0;
constexpr Millis kLongRead{60'000};
constexpr std::chrono::milliseconds kVerySlow{1000};
constexpr std::int64_t kBackupOld = 7LL * 24 * 3600 * 1000;
constexpr double kMiB = 1 << 20;

struct Files {
  std::uint64_t all = 0, largest = 0, largest_wal = 0;
  std::string largest_name, wal_name;
};

// All of them by what the file system says: most mailboxes are closed.
Files files_of(const fs::path& data) {
  Files files;
  for (const auto& directory : {data, data / "mail"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
      std::error_code gone;
      const std::uint64_t size = entry.is_regular_file(gone) ? entry.file_size(gone) : 0;
      const std::string name = entry.path().filename();
      if (gone) continue;
      if (name.ends_with(".db-wal") && size > files.largest_wal) {
        files.largest_wal = size;
        files.wal_name = name;
      }
      if (!name.ends_with(".db")) continue;
      files.all += size;
      if (size <= files.largest) continue;
      files.largest = size;
      files.largest_name = name;
    }
  }
  return files;
}

Check disk(const fs::path& data, const Files& files) {
  std::error_code error;
  const auto space = fs::space(data, error);
  if (error) return failure("disk", "cannot be measured: " + error.message(), "");
  const std::string detail = fmt::format("{:.0f} MiB free; the largest database, {}, has {:.0f} MiB",
                                         static_cast<double>(space.available) / kMiB, files.largest_name,
                                         static_cast<double>(files.largest) / kMiB);
  constexpr std::uint64_t kLeast = 64ULL << 20;
  if (space.available < kLeast)
    return failure("disk", detail, "Free some space: mail is refused when the disk is full");
  if (space.available < 2 * files.largest)
    return warning("disk", detail, "Keep twice the largest database free: VACUUM and a copy need it");
  return fine("disk", detail);
}

Check wal(const Files& files) {
  const double largest = static_cast<double>(files.largest_wal) / kMiB;
  if (files.largest_wal <= kWalCap + kWalCap / 2)
    return fine("write-ahead logs", fmt::format("the largest has {:.1f} MiB", largest));
  return warning("write-ahead logs", fmt::format("{} has {:.1f} MiB", files.wal_name, largest),
                 "A reader keeps it from being emptied (see `long readers`), or the server was killed: it is "
                 "emptied when the database is next opened and closed");
}

Check readers(const std::vector<OpenDatabase>& open) {
  std::string stuck;
  for (const OpenDatabase& one : open) {
    const auto last = one.database->last_checkpoint();
    if (one.database->longest_read() > kLongRead)
      stuck += fmt::format("{}{} is read since {} s", stuck.empty() ? "" : "; ", one.name,
                           one.database->longest_read().count() / 1000);
    else if (last.at_ms != 0 && !last.complete && last.frames > last.moved + 16'384)
      stuck += fmt::format("{}{} has {} frames that a reader holds back", stuck.empty() ? "" : "; ", one.name,
                           last.frames - last.moved);
  }
  if (stuck.empty()) return fine("long readers", "none");
  return warning("long readers", stuck,
                 "A client fetches very slowly, or a backup runs: end that connection, or wait");
}

Check fragmentation(const std::vector<OpenDatabase>& open) {
  for (const OpenDatabase& one : open) {
    const auto figures = vault::figures_of(*one.database);
    if (!figures) return failure("free pages", figures.error());
    if (figures->file.fragmentation() > kMuchFree && figures->file.freelist_count > 1024)
      return warning("free pages",
                     fmt::format("{:.0f} % of {} hold nothing", figures->file.fragmentation(), one.name),
                     "They are given back while nobody writes; at once: `muhur maintain --now`");
  }
  return fine("free pages", fmt::format("less than {:.0f} % in every open database", kMuchFree));
}

Check slow(const std::vector<OpenDatabase>& open) {
  for (const OpenDatabase& one : open) {
    const auto worst = one.database->slow_statements().worst_first();
    if (!worst.empty() && worst[0].worst > kVerySlow)
      return warning(
          "slow statements",
          fmt::format("{}: {} ms: {}", one.name, worst[0].worst.count() / 1000, worst[0].sql),
          "`muhur stats` shows its plan; `muhur maintain` refreshes the planner's statistics; else "
          "the disk is slow");
  }
  return fine("slow statements", fmt::format("none above {} ms", kVerySlow.count()));
}

Check backups(const fs::path& data, std::int64_t now_ms) {
  const auto records = read_backup_records(data);
  if (!records) return warning("backups", records.error().what, records.error().remedy);
  const std::string remedy =
      "`muhur db backup` copies a database while it is in use, and reads the copy back";
  std::int64_t last = 0;
  for (const BackupRecord& record : *records)
    if (record.verified) last = std::max(last, record.at_ms);
  if (last == 0) return warning("backups", "no verified backup is known", remedy);
  if (now_ms - last > kBackupOld)
    return warning("backups", "the last verified one is of " + format_time(last), remedy);
  return fine("backups", "the last verified one is of " + format_time(last));
}

Check monitoring(std::int64_t now_ms) {
  const std::int64_t kept = house_kept_at();
  if (kept == 0) return fine("housekeeping", "has not run in this process yet");
  if (now_ms - kept > 20 * kHouseOften.count())
    return warning("housekeeping", "last ran at " + format_time(kept),
                   "Something takes very long on the heavy pool, or the disk hangs: see the log");
  return fine("housekeeping", "last ran at " + format_time(kept));
}

}  // namespace

Checks check_storage(mail::PostOffice& office) {
  const auto& data = office.options().data;
  const std::int64_t now = office.directory().clock().now_ms();
  const Files files = files_of(data);
  const auto open = open_databases(office);
  return {disk(data, files), wal(files),         readers(open),  fragmentation(open),
          slow(open),        backups(data, now), monitoring(now)};
}

}  // namespace muhur::server

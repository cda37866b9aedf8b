#include "vault/migrate_cipher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/encoding.hpp"
#include "crypto/mac.hpp"
#include "vault/check.hpp"
#include "vault/database_files.hpp"
#include "vault/lock_file.hpp"
#include "vault/migrate_copy.hpp"
#include "vault/pages.hpp"

namespace muhur::vault {
namespace {

namespace fs = std::filesystem;

// Empty, with the owner and the mode of the old file from its first moment.
Result<void> make_like(const fs::path& old, const fs::path& fresh) {
  struct stat like{};
  if (::stat(old.c_str(), &like) != 0) return fail_errno(errno, fmt::format("look at {}", old.string()));
  const int fd = ::open(fresh.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return fail_errno(errno, fmt::format("create {}", fresh.string()));
  const bool done = (::fchown(fd, like.st_uid, like.st_gid) == 0 || errno == EPERM) &&
                    ::fchmod(fd, like.st_mode & 0777) == 0;
  const int error = errno;
  ::close(fd);
  if (!done) return fail_errno(error, fmt::format("give {} its owner and mode", fresh.string()));
  return {};
}

Result<void> need_room(const fs::path& path, std::uint64_t bytes, std::uint64_t there) {
  std::error_code error;
  const std::uint64_t needed = bytes + bytes / 8 - std::min(there, bytes);
  const auto space = fs::space(path.parent_path(), error);
  if (error || space.available >= needed) return {};
  return fail(Code::no_space,
              fmt::format("{} needs {} bytes beside it and the file system has {}", path.string(), needed,
                          space.available),
              "Free some space first; nothing was changed");
}

// Alone from here on, with all there is in the one file. Says whether it was in WAL mode.
Result<bool> take_alone(Connection& source) {
  MUHUR_TRY(const std::string mode, source.query_text("PRAGMA journal_mode"));
  const auto alone = [&]() -> Result<void> {
    MUHUR_CHECK(source.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    MUHUR_CHECK(source.exec("PRAGMA journal_mode=DELETE"));
    MUHUR_CHECK(source.exec("PRAGMA locking_mode=EXCLUSIVE"));
    return source.exec("BEGIN EXCLUSIVE; COMMIT");
  };
  MUHUR_CHECK(alone());
  return mode == "wal";
}

// Differs whenever the file has been written to since. Page 1 has SQLite's change counter. Read through the
// connection: to close a descriptor of one's own would drop its locks.
Result<std::string> identity_of(Connection& source) {
  MUHUR_TRY(const Pages pages, Pages::of(source));
  MUHUR_TRY(const Bytes first, pages.read(1));
  struct stat info{};
  if (::stat(source.path().c_str(), &info) != 0)
    return fail_errno(errno, fmt::format("look at {}", source.path().string()));
  return fmt::format("{} {}.{:09} {}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                     to_hex(crypto::blake2b(first)));
}

// Only forward: a copy's size and the rows compared do not meet exactly.
class Telling {
 public:
  Telling(const CipherMigration& wanted, std::uint64_t bytes) : wanted_(wanted), bytes_(bytes) {}
  // Of the first half by what is written, of each later quarter by a share.
  void copied(const fs::path& part) {
    std::error_code error;
    const auto written = fs::file_size(part, error);
    if (!error) at(std::min<std::uint64_t>(written, bytes_));
  }
  void checked(double share) {
    at(bytes_ + static_cast<std::uint64_t>(share * static_cast<double>(bytes_) / 2));
  }
  void compared(double share) {
    at(bytes_ + bytes_ / 2 + static_cast<std::uint64_t>(share * static_cast<double>(bytes_) / 2));
  }

 private:
  void at(std::uint64_t done) {
    last_ = std::min(std::max(last_, done), 2 * bytes_);
    if (wanted_.progress) wanted_.progress(last_, 2 * bytes_);
  }
  const CipherMigration& wanted_;
  std::uint64_t bytes_;
  std::uint64_t last_ = 0;
};

Result<std::uint64_t> verify(MigrationCopy& copy, const fs::path& path, Telling& telling) {
  MUHUR_TRY(const CheckReport report, check(copy.connection(), [&](std::uint64_t done, std::uint64_t all) {
              if (all > 0) telling.checked(static_cast<double>(done) / static_cast<double>(all));
            }));
  if (!report.sound())
    return fail(Code::corrupt,
                fmt::format("the copy of {} does not verify: {}", path.string(), report.summary()),
                "Look at the file with `muhur db check`; it was not changed");
  const std::uint64_t rows = copy.rows_kept() + copy.rows_copied();
  std::uint64_t seen = 0;
  MUHUR_CHECK(copy.compare([&] {
    ++seen;
    if (seen % 4096 == 0 && seen <= rows)
      telling.compared(static_cast<double>(seen) / static_cast<double>(rows));
  }));
  return report.pages * report.page_size;
}

// The copy an earlier run left, or a new one.
Result<MigrationCopy> resume_or_begin(const MigrationCopy::Plan& plan, bool wal, std::string& started_over) {
  const fs::path& path = plan.source.path();
  std::error_code error;
  if (fs::exists(plan.path, error)) {
    auto found = MigrationCopy::resume(plan);
    if (found) return found;
    switch (found.error().code) {
      case Code::conflict:
        started_over = "the database has changed since";
        break;
      case Code::denied:
        started_over = "it is under another key, or damaged";
        break;
      case Code::corrupt:
        started_over = "it is damaged, or was not begun";
        break;
      default:
        return found;
    }
    remove_database(plan.path);
  }
  MUHUR_CHECK(make_like(path, plan.path));
  return MigrationCopy::begin(plan, wal);
}

Result<void> fill(MigrationCopy& copy, const MigrationCopy::Plan& plan, Telling& telling,
                  CipherMigrated& report) {
  MUHUR_CHECK(copy.complete());
  MUHUR_TRY(report.bytes_after, verify(copy, plan.source.path(), telling));
  report.rows_kept = copy.rows_kept();
  report.rows_copied = copy.rows_copied();
  MUHUR_CHECK(copy.drop_books());
  if (copy.was_wal()) MUHUR_CHECK(copy.connection().exec("PRAGMA journal_mode=WAL"));
  return {};
}

// A copy that turns out to be damaged is removed: it must not stop the next run as well. One that an earlier
// run left is made anew at once.
Result<void> make_copy(const MigrationCopy::Plan& plan, bool wal, Telling& telling, CipherMigrated& report) {
  std::error_code error;
  bool was_there = fs::exists(plan.path, error);
  while (true) {
    Result<void> done;
    {
      MUHUR_TRY(MigrationCopy copy, resume_or_begin(plan, wal, report.started_over));
      was_there = was_there && report.started_over.empty();
      wal = wal || copy.was_wal();
      done = fill(copy, plan, telling, report);
    }
    if (done || done.error().code != Code::corrupt) return done;
    remove_database(plan.path);
    if (!was_there) return done;
    report.started_over = "it is damaged";
  }
}

}  // namespace

Result<CipherMigrated> migrate_cipher(const CipherMigration& wanted) {
  const fs::path path = fs::absolute(wanted.path);
  MUHUR_TRY(const LockFile lock, LockFile::acquire(path));
  OpenOptions opening{.path = path, .key = wanted.key, .cipher = wanted.cipher, .bare = true};
  opening.profile.busy_timeout_ms = 2000;
  MUHUR_TRY(const auto source, Connection::open(opening));
  CipherMigrated report{.from = std::string(source->cipher())};
  const fs::path part = path.string() + ".migrating";
  std::error_code error;
  report.bytes_before = report.bytes_after = fs::file_size(path, error);
  const bool same_key = !wanted.new_key || wanted.new_key->empty();
  if (report.from == "chacha20" && same_key) {
    remove_database(part);
    return report;
  }
  if (report.from == "none" && same_key)
    return fail(Code::invalid, fmt::format("{} is not encrypted", path.string()), "Give it a key");
  const Key key = same_key ? wanted.key->copy() : wanted.new_key->copy();

  MUHUR_TRY(const bool wal, take_alone(*source));
  report.bytes_before = fs::file_size(path, error);
  const std::uint64_t there = fs::file_size(part, error);
  MUHUR_CHECK(need_room(path, report.bytes_before, error ? 0 : there));
  MUHUR_TRY(std::string identity, identity_of(*source));
  Telling telling(wanted, report.bytes_before);
  const MigrationCopy::Plan plan{.source = *source,
                                 .path = part,
                                 .key = key,
                                 .identity = std::move(identity),
                                 .batch_bytes = std::max<std::uint64_t>(wanted.batch_bytes, 1),
                                 .durability = wanted.durability,
                                 .go_on = wanted.go_on ? wanted.go_on : [] { return true; },
                                 .on_step = [&] { telling.copied(part); }};
  MUHUR_CHECK(make_copy(plan, wal, telling, report));
  MUHUR_CHECK(flush_file(part));
  if (::rename(part.c_str(), path.c_str()) != 0)
    return fail_errno(errno, fmt::format("give {} its new content", path.string()));
  MUHUR_CHECK(flush_directory(path.parent_path()));
  report.changed = true;
  return report;
}

}  // namespace muhur::vault

#include "vault/migrate_cipher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "vault/check.hpp"
#include "vault/lock_file.hpp"
#include "vault/sqlite.hpp"
#include "vault/step_progress.hpp"
#include "vault/uri.hpp"
#include "vault/vfs.hpp"

namespace muhur::vault {
namespace {

namespace fs = std::filesystem;

void remove_database(const fs::path& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    fs::remove(path.string() + suffix, ignored);
  }
}

// The unfinished file: gone with its companions, unless it was given its name.
struct Part {
  explicit Part(const fs::path& of) : path(of.string() + ".migrating") { remove_database(path); }
  ~Part() { remove_database(path); }
  fs::path path;
};

Result<void> flush(const fs::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return fail_errno(errno, fmt::format("open {}", path.string()));
  const int rc = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  if (rc != 0) return fail_errno(error, fmt::format("flush {}", path.string()));
  return {};
}

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

Result<void> need_room(const fs::path& path, std::uint64_t bytes) {
  std::error_code error;
  const auto space = fs::space(path.parent_path(), error);
  if (error || space.available >= bytes + bytes / 8) return {};
  return fail(Code::no_space,
              fmt::format("{} needs {} bytes beside it and the file system has {}", path.string(),
                          bytes + bytes / 8, space.available),
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

Result<void> copy(Connection& source, const fs::path& part, const Key& key, const CipherMigration& wanted,
                  std::uint64_t bytes) {
  int reserve = kReservedBytes;
  sqlite3_file_control(source.handle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
  const RegisteredUri uri(part, &key);
  const StepProgress steps(source, wanted.progress ? [&] {
    std::error_code ignored;
    const auto written = fs::file_size(part, ignored);
    wanted.progress(ignored ? 0 : std::min<std::uint64_t>(written, bytes), 2 * bytes);
  } : std::function<void()>());
  return source.run("VACUUM INTO ?", uri.text());
}

Result<std::uint64_t> verify(const fs::path& part, const Key& key, bool wal, const CipherMigration& wanted,
                             std::uint64_t bytes) {
  MUHUR_TRY(const auto fresh,
            Connection::open({.path = part, .key = &key, .cipher = "chacha20", .bare = true}));
  MUHUR_TRY(const CheckReport report, check(*fresh, [&](std::uint64_t done, std::uint64_t all) {
              if (wanted.progress && all > 0) wanted.progress(bytes + bytes * done / all, 2 * bytes);
            }));
  if (!report.sound())
    return fail(Code::corrupt,
                fmt::format("the copy of {} does not verify: {}", wanted.path.string(), report.summary()),
                "Look at the file with `muhur db check`; it was not changed");
  if (wal) MUHUR_CHECK(fresh->exec("PRAGMA journal_mode=WAL"));
  return report.pages * report.page_size;
}

}  // namespace

Result<CipherMigrated> migrate_cipher(const CipherMigration& wanted) {
  const fs::path path = fs::absolute(wanted.path);
  MUHUR_TRY(const LockFile lock, LockFile::acquire(path));
  OpenOptions opening{.path = path, .key = wanted.key, .cipher = wanted.cipher, .bare = true};
  opening.profile.busy_timeout_ms = 2000;
  MUHUR_TRY(const auto source, Connection::open(opening));
  CipherMigrated report{.from = std::string(source->cipher())};
  const Part part(path);
  std::error_code error;
  report.bytes_before = report.bytes_after = fs::file_size(path, error);
  const bool plain = report.from == "none";
  const bool same_key = !wanted.new_key || wanted.new_key->empty();
  if (report.from == "chacha20" && same_key) return report;
  if (plain && same_key)
    return fail(Code::invalid, fmt::format("{} is not encrypted", path.string()), "Give it a key");
  const Key key = same_key ? wanted.key->copy() : wanted.new_key->copy();

  MUHUR_TRY(const bool wal, take_alone(*source));
  report.bytes_before = fs::file_size(path, error);
  MUHUR_CHECK(need_room(path, report.bytes_before));
  MUHUR_CHECK(make_like(path, part.path));
  MUHUR_CHECK(copy(*source, part.path, key, wanted, report.bytes_before));
  MUHUR_TRY(report.bytes_after, verify(part.path, key, wal, wanted, report.bytes_before));
  MUHUR_CHECK(flush(part.path, O_RDONLY));
  if (::rename(part.path.c_str(), path.c_str()) != 0)
    return fail_errno(errno, fmt::format("give {} its new content", path.string()));
  MUHUR_CHECK(flush(path.parent_path(), O_RDONLY | O_DIRECTORY));
  report.changed = true;
  return report;
}

}  // namespace muhur::vault

#include "vault/backup.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "vault/check.hpp"
#include "vault/database_files.hpp"
#include "vault/pages.hpp"
#include "vault/sqlite.hpp"
#include "vault/transaction.hpp"
#include "vault/uri.hpp"
#include "vault/vfs.hpp"

namespace muhur::vault {
namespace {

namespace fs = std::filesystem;

// The unfinished copy: gone with its companions unless it was given its name.
struct Part {
  explicit Part(const fs::path& target) : path(target.string() + ".part") { remove_database(path); }
  ~Part() { remove_database(path); }
  fs::path path;
};

Result<void> copy_pages(Connection& source, Connection& copy, const BackupOptions& options) {
  sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", source.handle(), "main");
  if (!backup) return std::unexpected(copy.error_of(sqlite3_extended_errcode(copy.handle()), "copy to"));
  int rc = SQLITE_OK;
  bool go_on = true;
  while (rc == SQLITE_OK && go_on) {
    rc = sqlite3_backup_step(backup, static_cast<int>(std::max<std::uint32_t>(options.pages_per_step, 1)));
    const int in_all = sqlite3_backup_pagecount(backup);
    const int done = in_all - sqlite3_backup_remaining(backup);
    if (options.progress)
      go_on = options.progress(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(in_all));
  }
  sqlite3_backup_finish(backup);
  if (rc != SQLITE_DONE && !go_on) return fail(Code::closed, "the backup was stopped");
  if (rc != SQLITE_DONE) return std::unexpected(copy.error_of(rc, "copy to"));
  return {};
}

// Pages without room for the cipher's tag cannot be copied one by one into an encrypted file: VACUUM INTO
// lays them out anew.
Result<void> rewrite(Connection& source, const OpenOptions& copy) {
  int reserve = kReservedBytes;
  sqlite3_file_control(source.handle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
  const RegisteredUri uri(copy.path, copy.key);
  return source.run("VACUUM INTO ?", uri.text());
}

Result<void> make_copy(Connection& source, const BackupOptions& options, const fs::path& part) {
  const OpenOptions opening{.path = part, .key = options.key, .mode = OpenMode::create, .bare = true};
  MUHUR_TRY(const auto copy, Connection::open(opening));
  const bool keyed = options.key && !options.key->empty();
  MUHUR_TRY(const Pages pages, Pages::of(source));
  if (keyed && pages.reserved() < static_cast<std::uint32_t>(kReservedBytes)) {
    if (!source.in_transaction()) return rewrite(source, opening);
    return fail(Code::unsupported,
                fmt::format("{} was not made encrypted: it cannot be copied encrypted while it is in use",
                            source.path().string()),
                "Stop what uses it and copy it then");
  }
  MUHUR_CHECK(copy->exec("PRAGMA synchronous=OFF"));  // flushed as a whole below
  MUHUR_TRY(Transaction snapshot, Transaction::begin_read(source));
  MUHUR_CHECK(source.query_int("SELECT count(*) FROM sqlite_schema"));  // the snapshot begins here
  return copy_pages(source, *copy, options);
}

Result<BackupReport> verify(const BackupOptions& options, const fs::path& part) {
  MUHUR_TRY(const auto copy, Connection::open({.path = part, .key = options.key, .bare = true}));
  MUHUR_TRY(const CheckReport report, check(*copy));
  if (!report.sound())
    return fail(Code::corrupt,
                fmt::format("the copy of {} does not verify: {}", options.path.string(), report.summary()),
                "Check the source with `muhur db check`");
  return BackupReport{report.pages, report.pages * report.page_size};
}

}  // namespace

Result<BackupReport> backup(Connection& source, const BackupOptions& options) {
  std::error_code error;
  if (fs::exists(options.path, error))
    return fail(Code::exists, fmt::format("{} is there already", options.path.string()),
                "Choose another name");
  const Part part(fs::absolute(options.path));
  MUHUR_CHECK(make_copy(source, options, part.path));
  MUHUR_TRY(const BackupReport report, verify(options, part.path));
  MUHUR_CHECK(flush_file(part.path));
  // A hard link and not a rename: it never replaces a file that came there meanwhile.
  const fs::path target = fs::absolute(options.path);
  if (::link(part.path.c_str(), target.c_str()) != 0)
    return fail_errno(errno, fmt::format("name {}", target.string()));
  MUHUR_CHECK(flush_directory(target.parent_path()));
  return report;
}

Result<BackupReport> backup(Database& database, const BackupOptions& options) {
  MUHUR_TRY(const auto lease, database.borrow());
  return backup(*lease, options);
}

}  // namespace muhur::vault

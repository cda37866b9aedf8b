#include "vault/sqlite_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "vault/sqlite.hpp"

namespace muhur::vault {
namespace {

constexpr std::size_t kLongestDoing = 160;

// FTS5 repeats what it could not parse, and that is the user's own text.
std::string_view message_without_user_text(sqlite3* handle, int rc) {
  const std::string_view message =
      handle && sqlite3_errcode(handle) != SQLITE_OK ? sqlite3_errmsg(handle) : sqlite3_errstr(rc);
  if (message.starts_with("fts5:")) return "the full-text query is malformed";
  return message;
}

bool out_of_space(int system_error) { return system_error == ENOSPC || system_error == EDQUOT; }

struct Meaning {
  Code code;
  std::string_view what;  // empty: SQLite's message
  std::string_view remedy;
};

Meaning constraint(int rc) {
  switch (rc) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return {Code::exists, "", ""};
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return {Code::conflict, "", ""};
    default:
      return {Code::invalid, "", ""};
  }
}

Meaning meaning_of(int rc, int system_error, std::string_view message) {
  switch (rc & 0xff) {
    case SQLITE_NOTADB:
      return {Code::denied, "wrong key, or not a database of this server",
              "Open it with the key that it was made with, or restore it from a backup"};
    case SQLITE_CORRUPT:
      return {Code::corrupt, "stored bytes are damaged",
              "Check it with `muhur db check`; then restore a backup or salvage what verifies"};
    case SQLITE_FULL:
      return {Code::no_space, "the disk is full", "Free some space; nothing that was acknowledged is lost"};
    case SQLITE_IOERR:
      if (out_of_space(system_error))
        return {Code::no_space, "the disk is full", "Free some space; nothing that was acknowledged is lost"};
      return {Code::io, "",
              "Look at the disk and at the kernel's log; then check the file with `muhur db check`"};
    case SQLITE_READONLY:
      return {Code::io, "", "Let the server's user write the file and its directory"};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      if (system_error == ENOENT) return {Code::not_found, "no such file", "Look at the path"};
      if (out_of_space(system_error)) return {Code::no_space, "the disk is full", "Free some space"};
      return {Code::io, "", "Let the server's user read and write the file and its directory"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::busy, "in use by another connection", "Try again; stop other programs that hold it open"};
    case SQLITE_CONSTRAINT:
      return constraint(rc);
    case SQLITE_TOOBIG:
      return {Code::limit, "", ""};
    case SQLITE_INTERRUPT:
      return {Code::closed, "interrupted", ""};
    case SQLITE_ABORT:
      return {Code::conflict, "", ""};
    case SQLITE_ERROR:
      if (message == "the full-text query is malformed") return {Code::invalid, "", ""};
      return {Code::internal, "", ""};
    default:
      return {Code::internal, "", ""};
  }
}

}  // namespace

Error sqlite_error(sqlite3* handle, int rc, const std::filesystem::path& file, std::string_view doing) {
  const std::string_view message = message_without_user_text(handle, rc);
  const int system_error = handle ? sqlite3_system_errno(handle) : 0;
  const Meaning meaning = meaning_of(rc, system_error, message);
  std::string what = fmt::format("cannot {} {}: {}", doing.substr(0, kLongestDoing), file.string(),
                                 meaning.what.empty() ? message : meaning.what);
  const bool system_says_more = meaning.code == Code::io && system_error != 0;
  if (system_says_more) what += fmt::format(" ({})", std::strerror(system_error));
  return {meaning.code, std::move(what), std::string(meaning.remedy)};
}

}  // namespace muhur::vault

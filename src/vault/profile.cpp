#include "vault/profile.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <string>
#include <string_view>

#include "vault/connection.hpp"
#include "vault/sqlite.hpp"

namespace muhur::vault {
namespace {

int number_of(AutoVacuum mode) {
  switch (mode) {
    case AutoVacuum::none:
      return 0;
    case AutoVacuum::full:
      return 1;
    case AutoVacuum::incremental:
      return 2;
  }
  return 0;
}

int number_of(Durability durability) {
  switch (durability) {
    case Durability::off:
      return 0;
    case Durability::normal:
      return 1;
    case Durability::full:
      return 2;
    case Durability::extra:
      return 3;
  }
  return 2;
}

struct Setting {
  std::string_view name;
  std::string value;     // as it is set
  std::string expected;  // as it is read back
};

Setting number(std::string_view name, std::int64_t value) {
  return {name, std::to_string(value), std::to_string(value)};
}

// In the order that takes effect. The first write of the file is journal_mode's, so what belongs to a file
// from its birth stands before it: auto_vacuum set after it would silently stay NONE.
std::vector<Setting> settings_of(const Profile& profile, bool is_new, bool read_only) {
  std::vector<Setting> all;
  all.push_back(number("busy_timeout", profile.busy_timeout_ms));
  all.push_back(number("trusted_schema", 0));
  all.push_back(number("cell_size_check", 1));
  all.push_back(number("foreign_keys", 1));
  all.push_back(number("temp_store", profile.temp_store));
  all.push_back(number("cache_size", -profile.cache_kib));
  if (read_only) return all;
  all.push_back(number("secure_delete", 1));
  if (is_new) {
    all.push_back({"encoding", "'UTF-8'", "UTF-8"});
    all.push_back(number("page_size", profile.page_size));
    all.push_back(number("auto_vacuum", number_of(profile.auto_vacuum)));
  }
  all.push_back({"journal_mode", "WAL", "wal"});
  all.push_back(number("synchronous", number_of(profile.durability)));
  all.push_back(number("wal_autocheckpoint", profile.wal_autocheckpoint));
  all.push_back(number("journal_size_limit", profile.wal_limit_bytes));
  all.push_back(number("analysis_limit", profile.analysis_limit));
  return all;
}

// Not through the connection's cache: these run once.
Result<std::string> pragma(Connection& connection, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  int rc = sqlite3_prepare_v2(connection.handle(), sql.c_str(), -1, &statement, nullptr);
  std::string value;
  if (rc == SQLITE_OK) {
    rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) {
      if (const auto* text = sqlite3_column_text(statement, 0)) value = reinterpret_cast<const char*>(text);
      rc = SQLITE_DONE;
    }
  }
  if (rc != SQLITE_DONE) {
    Error error = connection.error_of(rc, sql);
    sqlite3_finalize(statement);
    return std::unexpected(std::move(error));
  }
  sqlite3_finalize(statement);
  return value;
}

Result<void> protect(Connection& connection) {
  constexpr std::array<std::pair<int, int>, 3> kSwitches{{
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
      {SQLITE_DBCONFIG_DQS_DML, 0},
      {SQLITE_DBCONFIG_DQS_DDL, 0},
  }};
  for (const auto& [what, on] : kSwitches) {
    const int rc = sqlite3_db_config(connection.handle(), what, on, nullptr);
    if (rc != SQLITE_OK) return std::unexpected(connection.error_of(rc, "configure"));
  }
  return {};
}

}  // namespace

Result<void> apply_profile(Connection& connection, const Profile& profile, bool read_only) {
  MUHUR_CHECK(protect(connection));
  MUHUR_TRY(const std::string pages, pragma(connection, "PRAGMA page_count"));
  const std::vector<Setting> settings = settings_of(profile, pages == "0", read_only);
  for (const Setting& setting : settings)
    MUHUR_CHECK(pragma(connection, fmt::format("PRAGMA {}={}", setting.name, setting.value)));
  for (const Setting& setting : settings) {
    MUHUR_TRY(const std::string got, pragma(connection, fmt::format("PRAGMA {}", setting.name)));
    if (got != setting.expected)
      return fail(Code::internal,
                  fmt::format("PRAGMA {} of {}: wanted {}, reads back as {}", setting.name,
                              connection.path().string(), setting.expected, got),
                  "Look at the file system (WAL needs shared memory) and at the library's version");
  }
  if (profile.optimize_on_open && !read_only) MUHUR_CHECK(pragma(connection, "PRAGMA optimize=0x10002"));
  return {};
}

Result<void> set_temp_directory(const std::filesystem::path& directory) {
  const std::filesystem::path absolute = std::filesystem::absolute(directory);
  std::error_code error;
  std::filesystem::create_directories(absolute, error);
  if (error) return fail_errno(error.value(), fmt::format("create {}", absolute.string()));
  if (::chmod(absolute.c_str(), 0700) != 0)
    return fail_errno(errno, fmt::format("protect {}", absolute.string()));
  char* text = sqlite3_mprintf("%s", absolute.c_str());
  if (!text) return fail(Code::limit, "out of memory");
  sqlite3_free(sqlite3_temp_directory);
  sqlite3_temp_directory = text;
  return {};
}

}  // namespace muhur::vault

#include "vault/check.hpp"

#include <fmt/format.h>

#include "vault/page_map.hpp"
#include "vault/sqlite.hpp"

namespace muhur::vault {
namespace {

// A damaged page stops SQLite with an error instead of a row: that is a finding, not a failure.
Result<void> collect(Connection& connection, std::string_view pragma, std::vector<std::string>& problems) {
  auto statement = connection.prepare(pragma);
  if (!statement) {
    if (statement.error().code != Code::corrupt) return std::unexpected(statement.error());
    problems.push_back(statement.error().what);
    return {};
  }
  while (true) {
    const auto row = statement->step();
    if (!row) {
      if (row.error().code != Code::corrupt) return std::unexpected(row.error());
      problems.push_back(row.error().what);
      return {};
    }
    if (!*row) return {};
    if (statement->text(0) != "ok") problems.emplace_back(statement->text(0));
  }
}

// As far as readers' snapshots allow: what they hold back is still looked at, by integrity_check.
Result<void> move_wal_into_file(Connection& connection) {
  const int rc =
      sqlite3_wal_checkpoint_v2(connection.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (rc != SQLITE_OK) return std::unexpected(connection.error_of(rc, "checkpoint"));
  return {};
}

}  // namespace

std::string CheckReport::summary() const {
  if (sound()) return fmt::format("{} pages, all sound", pages);
  std::string text = fmt::format("{} of {} pages damaged", damaged.size(), pages);
  if (!damaged.empty()) text += fmt::format(" (first: page {}, of {})", damaged[0].page, damaged[0].owner);
  if (!problems.empty()) text += fmt::format("; {} problems (first: {})", problems.size(), problems[0]);
  return text;
}

Result<CheckReport> check(Connection& connection, const CheckProgress& progress) {
  MUHUR_CHECK(move_wal_into_file(connection));
  MUHUR_TRY(const Pages pages, Pages::of(connection));
  MUHUR_TRY(const PageMap map, map_pages(pages, progress));
  CheckReport report{.pages = pages.count(), .page_size = pages.size()};
  for (const std::uint32_t page : map.bad) {
    const std::string& owner = map.use[page].owner;
    report.damaged.push_back({page, owner.empty() ? "(unknown)" : owner});
  }
  MUHUR_CHECK(collect(connection, "PRAGMA integrity_check", report.problems));
  MUHUR_CHECK(collect(connection, "PRAGMA foreign_key_check", report.problems));
  return report;
}

Result<CheckReport> check(Database& database, const CheckProgress& progress) {
  CheckReport report;
  MUHUR_CHECK(database.exclusive([&](Connection& connection) -> Result<void> {
    MUHUR_TRY(report, check(connection, progress));
    return {};
  }));
  return report;
}

}  // namespace muhur::vault

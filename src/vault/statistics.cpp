#include "vault/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "vault/sqlite.hpp"

namespace muhur::vault {
namespace {

std::uint64_t bytes_of(const std::filesystem::path& file) {
  std::error_code absent;
  const auto size = std::filesystem::file_size(file, absent);
  return absent ? 0 : size;
}

}  // namespace

FileFigures& FileFigures::operator+=(const FileFigures& other) {
  page_count += other.page_count;
  page_size = std::max(page_size, other.page_size);
  freelist_count += other.freelist_count;
  file_bytes += other.file_bytes;
  wal_bytes += other.wal_bytes;
  return *this;
}

Result<FileFigures> file_figures(Connection& connection) {
  FileFigures figures;
  MUHUR_TRY(const std::int64_t pages, connection.query_int("PRAGMA page_count"));
  MUHUR_TRY(const std::int64_t size, connection.query_int("PRAGMA page_size"));
  MUHUR_TRY(const std::int64_t free, connection.query_int("PRAGMA freelist_count"));
  figures.page_count = static_cast<std::uint64_t>(pages);
  figures.page_size = static_cast<std::uint64_t>(size);
  figures.freelist_count = static_cast<std::uint64_t>(free);
  figures.file_bytes = bytes_of(connection.path());
  figures.wal_bytes = bytes_of(connection.path().string() + "-wal");
  return figures;
}

Result<DatabaseFigures> figures_of(Database& database) {
  MUHUR_TRY(const FileFigures file, database.read([](Connection& c) { return file_figures(c); }));
  return DatabaseFigures{database.path(), file, database.figures(), database.last_checkpoint()};
}

DatabaseFigures sum(std::span<const DatabaseFigures> all) {
  DatabaseFigures total;
  for (const DatabaseFigures& one : all) {
    total.file += one.file;
    total.writer.works += one.writer.works;
    total.writer.commits += one.writer.commits;
    total.writer.failures += one.writer.failures;
    total.writer.busy_waits += one.writer.busy_waits;
    if (one.checkpoint.at_ms > total.checkpoint.at_ms) total.checkpoint = one.checkpoint;
  }
  return total;
}

Result<std::vector<std::string>> explain(Connection& connection, std::string_view sql) {
  MUHUR_TRY(Statement statement, connection.prepare(fmt::format("EXPLAIN QUERY PLAN {}", sql)));
  std::map<std::int64_t, int> level_of;  // by the step's id
  std::vector<std::string> steps;
  while (true) {
    MUHUR_TRY(const bool row, statement.step());
    if (!row) return steps;
    const auto parent = level_of.find(statement.int64(1));
    const int level = parent == level_of.end() ? 0 : parent->second + 1;
    level_of[statement.int64(0)] = level;
    steps.push_back(fmt::format("{:{}}{}", "", 2 * level, statement.text(3)));
  }
}

Result<std::vector<Plan>> slowest(Database& database, std::size_t most) {
  std::vector<SlowStatement> statements = database.slow_statements().worst_first();
  if (statements.size() > most) statements.resize(most);
  return database.read([&](Connection& connection) -> Result<std::vector<Plan>> {
    std::vector<Plan> plans;
    for (SlowStatement& statement : statements) {
      auto steps = explain(connection, statement.sql);
      plans.push_back({std::move(statement), steps ? std::move(*steps) : std::vector<std::string>()});
    }
    return plans;
  });
}

Result<std::uint64_t> cache_bytes(Connection& connection) {
  int now = 0, high = 0;
  const int rc = sqlite3_db_status(connection.handle(), SQLITE_DBSTATUS_CACHE_USED, &now, &high, 0);
  if (rc != SQLITE_OK) return std::unexpected(connection.error_of(rc, "measure"));
  return static_cast<std::uint64_t>(now);
}

}  // namespace muhur::vault

#pragma once
// What a database is like now: sizes, holes, WAL, writer, slow statements with their plans. Numbers and
// constant SQL text only: nothing of what is stored.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vault/database.hpp"
#include "vault/slow_statements.hpp"

namespace muhur::vault {

struct FileFigures {
  std::uint64_t page_count = 0;
  std::uint64_t page_size = 0;
  std::uint64_t freelist_count = 0;  // pages that hold nothing
  std::uint64_t file_bytes = 0;
  std::uint64_t wal_bytes = 0;

  double size_mib() const { return static_cast<double>(page_count * page_size) / (1 << 20); }
  // The share of pages that hold nothing, in percent.
  double fragmentation() const {
    return page_count ? 100.0 * static_cast<double>(freelist_count) / static_cast<double>(page_count) : 0;
  }
  FileFigures& operator+=(const FileFigures& other);  // page_size: the larger
};

struct DatabaseFigures {
  std::filesystem::path path;
  FileFigures file;
  WriterFigures writer;
  CheckpointFigures checkpoint;  // of a sum: the last of all
};

struct Plan {
  SlowStatement statement;
  std::vector<std::string> steps;  // EXPLAIN QUERY PLAN, indented by two spaces a level; empty: it no
                                   // longer compiles
};

// On any connection of it. Costs a few reads of page 1.
Result<FileFigures> file_figures(Connection& connection);
Result<DatabaseFigures> figures_of(Database& database);
// Of several databases as one; the path is empty.
DatabaseFigures sum(std::span<const DatabaseFigures> all);

Result<std::vector<std::string>> explain(Connection& connection, std::string_view sql);
// The slowest statements of one database, worst first, at most `most`.
Result<std::vector<Plan>> slowest(Database& database, std::size_t most);

// Process-wide: what SQLite's heap holds is not counted (memory statistics are off); this is the page
// cache of one connection in bytes.
Result<std::uint64_t> cache_bytes(Connection& connection);

}  // namespace muhur::vault

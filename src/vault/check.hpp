#pragma once
// Is a database what it was when it was written? First the tag of every page, which names each damaged
// page and the table or index it belongs to; then SQLite's integrity_check, which looks at the structure.
// A database without authenticated pages (plain, aes256cbc) has only the second.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vault/connection.hpp"
#include "vault/database.hpp"

namespace muhur::vault {

struct DamagedPage {
  std::uint32_t page = 0;
  std::string owner;  // table or index, "(schema)", "(free)", "(pointer map)", or "(unknown)" where the
                      // page that pointed to it is damaged too
};

struct CheckReport {
  std::uint64_t pages = 0;
  std::uint64_t page_size = 0;
  std::vector<DamagedPage> damaged;
  std::vector<std::string> problems;  // integrity_check and foreign_key_check, at most 100 lines

  bool sound() const { return damaged.empty() && problems.empty(); }
  std::string summary() const;  // one line
};

using CheckProgress = std::function<void(std::uint64_t pages_done, std::uint64_t pages_in_all)>;

// Opened read_write, and nobody else writes. Moves the WAL into the file first, so that the file is all
// there is to look at.
Result<CheckReport> check(Connection& connection, const CheckProgress& progress = {});
// While the database is in use: alone on the writer's connection for as long as it takes.
Result<CheckReport> check(Database& database, const CheckProgress& progress = {});

}  // namespace muhur::vault

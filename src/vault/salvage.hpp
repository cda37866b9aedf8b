#pragma once
// What can still be had of a damaged database: every row whose pages verify goes into a new file under the
// same schema, and what does not is listed. The damaged file is only read.
//
// It walks the b-trees itself, page by page, so one bad page costs the rows on it and not the table. Leaf
// pages whose way from the root is gone are found too; they are put back when only one table can own them,
// and otherwise into the table lost_and_found(page, rowid, field, value), one row a field.
// Page 1 holds the schema's root: a file whose page 1 does not verify cannot be opened (denied), and only a
// backup helps.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vault/check.hpp"
#include "vault/connection.hpp"

namespace muhur::vault {

struct SalvagedTable {
  std::string name;
  std::uint64_t rows = 0;        // in the new file
  std::uint64_t rows_lost = 0;   // seen and not whole: an overflow page is damaged, or a key came twice
  std::uint64_t pages_lost = 0;  // damaged pages of it: how many rows were there is not known
};

struct SalvageReport {
  std::vector<SalvagedTable> tables;  // with rows or losses
  std::vector<std::uint32_t> damaged_pages;
  std::uint64_t orphan_pages = 0;     // leaf pages without a way from their root, rows saved all the same
  std::vector<std::string> not_made;  // indexes, triggers, views that could not be made anew, with the reason

  bool complete() const;  // nothing was lost
};

// `target` is a new file (exists otherwise) with `key`, or plain. On failure nothing is left behind.
// Full-text indexes come over as they were stored; where they lost rows they are named in not_made and want
// a rebuild.
// `progress` may be empty; it counts the pages of both passes, to look and to copy.
Result<SalvageReport> salvage(Connection& damaged, const std::filesystem::path& target, const Key* key,
                              const CheckProgress& progress = {});

}  // namespace muhur::vault

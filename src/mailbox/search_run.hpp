#pragma once
// What a Search holds: private to the folder. Candidates by index in one snapshot, then their content in
// batches, each with a reader of its own for that time. A message expunged meanwhile is left out.

#include "mailbox/search.hpp"
#include "mailbox/search_bounds.hpp"
#include "mailbox/search_match.hpp"
#include "vault/database.hpp"

namespace muhur::mailbox {

struct Search::Impl {
  std::weak_ptr<vault::Database> database;
  Matcher matcher;
  std::vector<Row> rows;
  std::size_t at = 0;
  std::vector<Uid> found;
};

Result<Search> begin_search(const std::shared_ptr<vault::Database>& database, FolderId folder,
                            const Criterion& criterion);

}  // namespace muhur::mailbox

#pragma once
// Runs a search: candidates by index in one snapshot, then their content in batches, each with a reader
// of its own for that time. A message expunged meanwhile is left out.

#include "mailbox/search.hpp"
#include "mailbox/search_bounds.hpp"
#include "mailbox/search_match.hpp"
#include "vault/database.hpp"

namespace muhur::mailbox {

Result<std::vector<Uid>> run_search(vault::Database& database, FolderId folder, const Criterion& criterion);

}  // namespace muhur::mailbox

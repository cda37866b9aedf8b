#pragma once
// What the indexes can tell of a search: bounds that every match lies within. They never leave a match
// out; what lies within them is looked at.

#include "mailbox/rows.hpp"
#include "mailbox/search.hpp"

namespace muhur::mailbox {

struct SearchBounds {
  Uid first_uid = 1, last_uid = UINT32_MAX;
  ModSeq modseq = 0;  // at least
  std::int64_t date_from = INT64_MIN, date_before = INT64_MAX;
  std::int64_t larger = -1, smaller = INT64_MAX;
  std::uint8_t flags_set = 0, flags_clear = 0;
};

SearchBounds bounds_of(const Criterion& criterion);

// The rows within the bounds, ascending by uid.
Result<std::vector<Row>> rows_within(vault::Connection& connection, FolderId folder,
                                     const SearchBounds& bounds);

}  // namespace muhur::mailbox

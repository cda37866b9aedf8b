#include "mailbox/search_bounds.hpp"

#include <algorithm>

namespace muhur::mailbox {
namespace {

using Kind = Criterion::Kind;

constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kMostDays = 100'000'000;  // keeps the products below within 64 bits
constexpr std::int64_t kZone = 24 * 3'600;       // more than any zone is away from UTC

std::int64_t start_of(std::int64_t day) { return std::clamp(day, -kMostDays, kMostDays) * kDay; }

void narrow(SearchBounds& bounds, const Criterion& criterion) {
  switch (criterion.kind) {
    case Kind::and_:
      for (const Criterion& child : criterion.children) narrow(bounds, child);
      break;
    case Kind::uids:
      bounds.first_uid =
          std::max(bounds.first_uid, criterion.uids.empty() ? UINT32_MAX : criterion.uids.front().first);
      bounds.last_uid = std::min(bounds.last_uid, criterion.uids.empty() ? 0 : criterion.uids.back().last);
      break;
    case Kind::flag:
      bounds.flags_set |= criterion.system;
      break;
    case Kind::no_flag:
      // Several bits: at least one is missing. Only of a single one the index can tell.
      if (std::has_single_bit(criterion.system)) bounds.flags_clear |= criterion.system;
      break;
    case Kind::modseq:
      bounds.modseq = std::max<ModSeq>(bounds.modseq, criterion.number);
      break;
    case Kind::larger:
      bounds.larger = std::max(
          bounds.larger, static_cast<std::int64_t>(std::min<std::uint64_t>(criterion.number, INT64_MAX)));
      break;
    case Kind::smaller:
      bounds.smaller = std::min(
          bounds.smaller, static_cast<std::int64_t>(std::min<std::uint64_t>(criterion.number, INT64_MAX)));
      break;
    case Kind::before:
      bounds.date_before = std::min(bounds.date_before, start_of(criterion.day) + kZone);
      break;
    case Kind::since:
      bounds.date_from = std::max(bounds.date_from, start_of(criterion.day) - kZone);
      break;
    case Kind::on:
      bounds.date_from = std::max(bounds.date_from, start_of(criterion.day) - kZone);
      bounds.date_before = std::min(bounds.date_before, start_of(criterion.day) + kDay + kZone);
      break;
    default:
      break;
  }
}

// One statement for each index that may lead; the bounds are the same in all.
#define MUHUR_WITHIN_BOUNDS                                                                        \
  " WHERE mailbox_id = ?1 AND uid BETWEEN ?2 AND ?3 AND modseq >= ?4 AND date >= ?5 AND date < ?6" \
  " AND size > ?7 AND size < ?8 AND (flags & ?9) = ?9 AND (flags & ?10) = 0"

std::string_view statement_for(const SearchBounds& bounds) {
  if (bounds.modseq > 1) return MUHUR_MESSAGE_COLUMNS "INDEXED BY messages_modseq" MUHUR_WITHIN_BOUNDS;
  if (bounds.flags_set != 0 && bounds.first_uid == 1)
    return MUHUR_MESSAGE_COLUMNS "INDEXED BY messages_flags" MUHUR_WITHIN_BOUNDS " AND flags <> 0";
  if (bounds.date_from != INT64_MIN && bounds.first_uid == 1)
    return MUHUR_MESSAGE_COLUMNS "INDEXED BY messages_date" MUHUR_WITHIN_BOUNDS;
  return MUHUR_MESSAGE_COLUMNS "NOT INDEXED" MUHUR_WITHIN_BOUNDS;
}

}  // namespace

SearchBounds bounds_of(const Criterion& criterion) {
  SearchBounds bounds;
  narrow(bounds, criterion);
  return bounds;
}

Result<std::vector<Row>> rows_within(vault::Connection& connection, FolderId folder,
                                     const SearchBounds& bounds) {
  std::vector<Row> rows;
  MUHUR_TRY(auto st, connection.prepare(statement_for(bounds)));
  st.bind(folder, bounds.first_uid, bounds.last_uid, std::min<ModSeq>(bounds.modseq, INT64_MAX),
          bounds.date_from, bounds.date_before, bounds.larger, bounds.smaller, bounds.flags_set,
          bounds.flags_clear);
  while (true) {
    MUHUR_TRY(const bool row, st.step());
    if (!row) break;
    rows.push_back(row_of(st));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.uid < b.uid; });
  return rows;
}

}  // namespace muhur::mailbox

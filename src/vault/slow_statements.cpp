#include "vault/slow_statements.hpp"

#include <algorithm>

namespace muhur::vault {

void SlowStatements::note(std::string_view sql, std::chrono::microseconds duration,
                          std::uint64_t full_scan_steps, std::uint64_t sorts) {
  const Lock lock(mutex_);
  auto at = by_sql_.find(sql);
  if (at == by_sql_.end()) {
    if (by_sql_.size() >= kMost) {
      const auto cheapest =
          std::ranges::min_element(by_sql_, {}, [](const auto& entry) { return entry.second.worst; });
      if (cheapest->second.worst >= duration) return;
      by_sql_.erase(cheapest);
    }
    at = by_sql_.emplace(std::string(sql), SlowStatement{.sql = std::string(sql)}).first;
  }
  SlowStatement& entry = at->second;
  ++entry.runs;
  entry.total += duration;
  entry.worst = std::max(entry.worst, duration);
  entry.full_scan_steps += full_scan_steps;
  entry.sorts += sorts;
}

std::vector<SlowStatement> SlowStatements::worst_first() const {
  std::vector<SlowStatement> all;
  {
    const Lock lock(mutex_);
    for (const auto& [sql, entry] : by_sql_) all.push_back(entry);
  }
  std::ranges::sort(all, std::greater{}, &SlowStatement::worst);
  return all;
}

}  // namespace muhur::vault

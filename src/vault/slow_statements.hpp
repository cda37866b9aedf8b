#pragma once
// The slowest statements of one database, by SQL text. The text is a constant of the program and holds no
// values; nothing else of an execution is kept but its duration and SQLite's own counters. Bounded: the
// cheapest entry gives way. Thread-safe; one is shared by all connections of a database.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sync.hpp"

namespace muhur::vault {

struct SlowStatement {
  std::string sql;
  std::uint64_t runs = 0;  // of the slow ones
  std::chrono::microseconds total{0};
  std::chrono::microseconds worst{0};
  std::uint64_t full_scan_steps = 0;  // rows visited without an index
  std::uint64_t sorts = 0;
};

class SlowStatements {
 public:
  static constexpr std::size_t kMost = 64;
  // Executions shorter than `threshold` are not noted.
  explicit SlowStatements(std::chrono::microseconds threshold = std::chrono::milliseconds(20))
      : threshold_(threshold) {}

  // A duration runs from the first step() to the last row or reset, so it contains what the caller did
  // between rows.
  void note(std::string_view sql, std::chrono::microseconds duration, std::uint64_t full_scan_steps,
            std::uint64_t sorts);
  std::chrono::microseconds threshold() const { return threshold_; }
  std::vector<SlowStatement> worst_first() const;

 private:
  const std::chrono::microseconds threshold_;
  mutable Mutex mutex_;
  std::map<std::string, SlowStatement, std::less<>> by_sql_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::vault

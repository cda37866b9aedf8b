#pragma once
// Reader connections of one database, lent one at a time with a read transaction begun: a borrower sees one
// WAL snapshot. Opened when first needed, at most `most`. Thread-safe; must outlive what it lent.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/sync.hpp"
#include "vault/connection.hpp"

namespace muhur::vault {

class Readers {
 public:
  // `options.key` must live as long as this object.
  Readers(OpenOptions options, std::size_t most);
  ~Readers();

  // Waits while all are lent; busy after the profile's busy_timeout.
  Result<std::unique_ptr<Connection>> take();
  // Ends the read transaction. A connection that cannot is closed.
  void give_back(std::unique_ptr<Connection> connection);
  std::size_t close_idle(Millis idle);
  // For how long the one that was lent first is lent by now; 0: none is.
  Millis longest() const;
  // Of each connection's page cache, from when it is next lent.
  void set_cache_kib(std::int64_t kib) { cache_kib_ = kib; }

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::steady_clock::time_point since;
  };
  Result<std::unique_ptr<Connection>> begun();
  Result<std::unique_ptr<Connection>> idle_or_new();

  const OpenOptions options_;
  const std::size_t most_;
  std::atomic<std::int64_t> cache_kib_ = 0;
  mutable Mutex mutex_;
  Condition returned_;
  std::vector<Idle> idle_ MUHUR_GUARDED_BY(mutex_);  // the most recently used last
  std::size_t open_ MUHUR_GUARDED_BY(mutex_) = 0;    // idle, lent or being opened
  std::map<const Connection*, std::chrono::steady_clock::time_point> lent_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::vault

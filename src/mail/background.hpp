#pragma once
// Work of the post office that nobody waits for, on a pool that outlives it. Thread-safe.

#include <functional>
#include <memory>

#include "base/sync.hpp"
#include "net/pools.hpp"

namespace muhur::mail {

class Background {
 public:
  explicit Background(net::Pool& pool) : pool_(pool) {}
  ~Background() { end(); }
  // Not run at all after end().
  void post(std::function<void()> job);
  // Waits for what runs or is posted, and takes nothing more.
  void end();

 private:
  net::Pool& pool_;
  Mutex mutex_;
  Condition idle_;
  std::size_t running_ MUHUR_GUARDED_BY(mutex_) = 0;
  bool ending_ MUHUR_GUARDED_BY(mutex_) = false;
};

}  // namespace muhur::mail

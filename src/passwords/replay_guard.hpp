#pragma once
// Which requests a worker has seen: a signed one counts once, and only near its time. Memory is bounded; when
// it is full of nonces that could still be repeated, new requests wait (busy). Thread-safe.

#include <string>
#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "base/sync.hpp"

namespace muhur::passwords {

class ReplayGuard {
 public:
  static constexpr std::int64_t kTolerance = 60'000;  // ms that the two clocks may differ, either way

  // What was signed before `start_ms` is refused too: a nonce seen before a restart is forgotten.
  explicit ReplayGuard(std::int64_t start_ms, std::size_t max_nonces = 200'000);

  // Of requests whose signature is right. denied: too old, or from the future; conflict: seen before; busy.
  Result<void> admit(std::string_view nonce, std::int64_t signed_ms, std::int64_t now_ms);

 private:
  Mutex mutex_;
  const std::int64_t start_ms_;
  const std::size_t max_nonces_;
  // Two generations, each filled for twice the tolerance: what is dropped cannot be current any more.
  std::unordered_set<std::string> young_ MUHUR_GUARDED_BY(mutex_), old_ MUHUR_GUARDED_BY(mutex_);
  std::int64_t turned_ms_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::passwords

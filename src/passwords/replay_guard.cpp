#include "passwords/replay_guard.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace muhur::passwords {

ReplayGuard::ReplayGuard(std::int64_t start_ms, std::size_t max_nonces)
    : start_ms_(start_ms), max_nonces_(max_nonces), turned_ms_(start_ms) {}

Result<void> ReplayGuard::admit(std::string_view nonce, std::int64_t signed_ms, std::int64_t now_ms) {
  if (std::abs(now_ms - signed_ms) > kTolerance)
    return fail(Code::denied,
                fmt::format("the clocks of server and worker differ by {} s", (now_ms - signed_ms) / 1000),
                "Set both by NTP");
  if (signed_ms < start_ms_)
    return fail(Code::denied, "the request was signed before the worker started", "Set both clocks by NTP");
  const Lock lock(mutex_);
  // A nonce signed as far in the future as is allowed stays good for twice the tolerance.
  if (now_ms - turned_ms_ > 2 * kTolerance) {
    old_ = std::move(young_);
    young_.clear();
    if (now_ms - turned_ms_ > 4 * kTolerance) old_.clear();
    turned_ms_ = now_ms;
  }
  std::string key(nonce);
  if (young_.contains(key) || old_.contains(key)) return fail(Code::conflict, "the request was seen before");
  if (young_.size() >= max_nonces_)
    return fail(Code::busy, "the worker had too many requests lately", "Try again in two minutes");
  young_.insert(std::move(key));
  return {};
}

}  // namespace muhur::passwords

#include "passwords/breaker.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace muhur::passwords {

void Breaker::check_succeeded() {
  closed_ = true;
  failures_ = 0;
}

void Breaker::call_succeeded() {
  failures_ = 0;
  rest_ = kFirstRest;
}

void Breaker::failed(TimePoint now, bool grave) {
  ++failures_;
  // Calls that began before it opened may fail afterwards: they do not make the rest longer.
  if (closed_ && (grave || failures_ >= kFailuresToOpen)) return open(now);
  if (!closed_ && now >= next_probe_) open(now);
}

void Breaker::open(TimePoint now) {
  closed_ = false;
  failures_ = 0;
  const auto quarter = static_cast<std::uint64_t>(rest_.count()) / 4;
  next_probe_ = now + rest_ - std::chrono::milliseconds(quarter) +
                std::chrono::milliseconds(random_below(2 * quarter + 1));
  rest_ = std::min(2 * rest_, kLongestRest);
}

}  // namespace muhur::passwords

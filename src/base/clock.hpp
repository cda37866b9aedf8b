#pragma once
// Time comes in through Clock, so that a test can stop it. Stored times are integers, UTC.

#include <chrono>
#include <cstdint>

namespace muhur {

using Millis = std::chrono::milliseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since 1970-01-01 UTC: what is stored and shown.
  virtual std::int64_t now_ms() const = 0;
  std::int64_t now_s() const { return now_ms() / 1000; }
  // Never goes back: what deadlines and durations are measured with.
  virtual std::chrono::steady_clock::time_point steady() const = 0;

  static const Clock& system();  // the real one; lives as long as the process
};

// A clock that stands until it is moved. Not thread-safe while it is moved.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t start_ms = 1'700'000'000'000) : now_(start_ms) {}
  std::int64_t now_ms() const override { return now_; }
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::time_point(Millis(now_));
  }
  void advance(Millis by) { now_ += by.count(); }

 private:
  std::int64_t now_;
};

}  // namespace muhur

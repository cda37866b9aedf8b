#pragma once
// Circuit breaker of one worker. Open: no request goes there. After a while (1 s, doubled up to 30 s, a
// quarter more or less at random) one health check is let through, and its success closes it. Not
// thread-safe.

#include <chrono>

namespace muhur::passwords {

class Breaker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr int kFailuresToOpen = 3;  // in a row, of those that cost little
  static constexpr std::chrono::milliseconds kFirstRest{1'000}, kLongestRest{30'000};

  // Begins open and due for a check: a worker that nobody has seen gets no password.
  bool closed() const { return closed_; }
  // When the next check may be made; meaningless while closed.
  TimePoint next_probe() const { return next_probe_; }

  void check_succeeded();
  // A real request was answered: rests are short again.
  void call_succeeded();
  // `grave`: opens at once (a time-out that cost a user seconds, or a reply that cannot be trusted).
  void failed(TimePoint now, bool grave);

 private:
  void open(TimePoint now);
  bool closed_ = false;
  int failures_ = 0;
  std::chrono::milliseconds rest_ = kFirstRest;
  TimePoint next_probe_{};
};

}  // namespace muhur::passwords

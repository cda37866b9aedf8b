#pragma once
// What is known of one worker. Private to this folder. Thread-safe.

#include <memory>
#include <vector>

#include "base/metrics.hpp"
#include "base/sync.hpp"
#include "passwords/balance.hpp"
#include "passwords/breaker.hpp"
#include "passwords/verifier.hpp"
#include "passwords/worker_client.hpp"

namespace muhur::passwords {

class KnownWorker {
 public:
  explicit KnownWorker(std::unique_ptr<WorkerClient> client);
  WorkerClient& client() { return *client_; }

  Place place() const;  // usable: its breaker is closed
  void take() MUHUR_EXCLUDES(mutex_);

  // How a call ended that took() began; the breaker and the figures learn from it. True: the breaker opened.
  bool call_ended(std::chrono::steady_clock::time_point began, const CallError* error);
  void check_ended(const CallResult<Health>& health);
  // How long until the next check.
  std::chrono::milliseconds until_check(std::chrono::milliseconds usual) const;
  WorkerFigures figures() const;

 private:
  void tell_left_out(const Error& why) MUHUR_REQUIRES(mutex_);
  const std::unique_ptr<WorkerClient> client_;
  mutable Mutex mutex_;
  Breaker breaker_ MUHUR_GUARDED_BY(mutex_);
  bool told_left_out_ MUHUR_GUARDED_BY(mutex_) = false;
  std::size_t outstanding_ MUHUR_GUARDED_BY(mutex_) = 0;
  std::size_t threads_ MUHUR_GUARDED_BY(mutex_) = 1;
  std::uint64_t done_ MUHUR_GUARDED_BY(mutex_) = 0, failed_ MUHUR_GUARDED_BY(mutex_) = 0;
  std::vector<double> latencies_ MUHUR_GUARDED_BY(mutex_);  // ms, of the last calls, in a ring
  metrics::Counter& done_total_;
  metrics::Counter& failed_total_;
  metrics::Gauge& healthy_gauge_;
  metrics::Gauge& outstanding_gauge_;
  metrics::Histogram& seconds_;
};

}  // namespace muhur::passwords

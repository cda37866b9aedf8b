#pragma once
// Trying out a worker, for `muhur worker test`: does it answer, as who it should be, and how fast.

#include <optional>
#include <string>

#include "base/secret.hpp"
#include "net/stream.hpp"

namespace muhur::passwords {

struct TrialOptions {
  std::string url;
  std::string ca_file;
  std::chrono::milliseconds time{3'000};  // that its rate is measured for
  int cost = 10;                          // of bcrypt
};

struct Trial {
  std::string url;
  std::optional<Error> error;     // what follows is measured when there is none
  std::size_t threads = 0;        // as it says
  double round_trip_ms = 0;       // of a health check, the median of five
  double hashes_per_s = 0;        // with every lane taken
  double p50_ms = 0, p95_ms = 0;  // of one hash meanwhile, waiting included
};

// The calling coroutine's executor is a strand or a single thread's.
net::Task<Trial> try_worker(const Secret& shared, TrialOptions options);

}  // namespace muhur::passwords

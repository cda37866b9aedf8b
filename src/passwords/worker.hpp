#pragma once
// The worker's side: verifies and hashes for servers that know the shared secret, and keeps nothing but the
// nonces of the last minutes. Thread-safe.

#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "http/router.hpp"
#include "passwords/pool.hpp"

namespace muhur::passwords {

class Worker {
 public:
  // `shared` has at least kLeastWorkerSecret bytes. The pool and the clock outlive it.
  Worker(HashPool& pool, const Secret& shared, const Clock& clock = Clock::system());
  ~Worker();
  // POST /v1/verify, /v1/hash and /v1/health, all signed; GET /healthz for load balancers, which says "ok"
  // and nothing more; GET /metrics for this machine and `metrics_networks` (CIDR blocks), to others 404. The
  // router's handlers must not outlive the worker.
  void add_routes(http::Router& router, const std::vector<std::string>& metrics_networks = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::passwords

#pragma once
// Verifies passwords wherever it is best done: on remote workers when there are healthy ones, else on the
// local pool. One total deadline covers every try. What comes back is the same wherever it ran.

#include <memory>
#include <string>
#include <vector>

#include "net/stream.hpp"
#include "passwords/pool.hpp"

namespace muhur::passwords {

struct RemoteWorker {
  std::string url;            // http://10.0.0.2:7080 or https://…
};

struct VerifierOptions {
  std::vector<RemoteWorker> workers;
  Secret worker_secret;       // at least 32 bytes when there are workers
  std::string ca_file;        // for https workers; empty: the system's
  std::chrono::milliseconds deadline{15'000};
  bool local_fallback = true;
};

struct WorkerFigures {
  std::string url;
  bool healthy;
  std::uint64_t done, failed;
  std::size_t outstanding;
  double p50_ms, p95_ms;
};

class Verifier {
 public:
  // `executor` runs the remote calls. The pool outlives it.
  Verifier(boost::asio::any_io_executor executor, HashPool& local, VerifierOptions options = {});
  ~Verifier();

  // busy: everything is full (503 with Retry-After for HTTP); timed_out.
  net::Task<Result<Verdict>> verify(Secret password, std::string record);
  net::Task<Result<std::string>> hash(Secret password, crypto::Argon2Cost cost);
  std::vector<WorkerFigures> workers() const;
  HashPool& local();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::passwords

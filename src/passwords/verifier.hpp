#pragma once
// Verifies passwords wherever it is best done: on remote workers when there are healthy ones, else on the
// local pool. One total deadline covers every try. What comes back is the same wherever it ran. When every
// lane of the workers is taken, the local pool takes its share. Thread-safe.

#include <memory>
#include <string>
#include <vector>

#include "net/stream.hpp"
#include "passwords/pool.hpp"

namespace muhur::passwords {

struct RemoteWorker {
  std::string url;  // http://10.0.0.2:7080 or https://…
};

struct VerifierOptions {
  std::vector<RemoteWorker> workers;
  Secret worker_secret;  // at least 32 bytes when there are workers
  std::string ca_file;   // for https workers; empty: the system's
  std::chrono::milliseconds deadline{15'000};
  bool local_fallback = true;  // false: nothing is hashed here while there are workers
  // How often a worker that is well is checked. One that is not gets its next check after 1 to 30 s.
  std::chrono::milliseconds health_every{5'000};
};

struct WorkerFigures {
  std::string url;
  bool healthy = false;
  std::uint64_t done = 0, failed = 0;
  std::size_t outstanding = 0;
  double p50_ms = 0, p95_ms = 0;  // of the last 256 calls
};

class Verifier {
 public:
  // `executor` runs the remote calls. The pool and the executor's context outlive it; it outlives the
  // coroutines that wait for it.
  Verifier(boost::asio::any_io_executor executor, HashPool& local, VerifierOptions options = {});
  ~Verifier();

  // busy: everything is full (503 with Retry-After for HTTP); timed_out. `until`: earlier than the deadline
  // says, where the caller has waited for something else already.
  net::Task<Result<Verdict>> verify(
      Secret password, std::string record,
      std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());
  net::Task<Result<std::string>> hash(Secret password, crypto::Argon2Cost cost);
  // A new record and its key: a hash, and a verification that gives the key.
  net::Task<Result<NewRecord>> new_record(Secret password, crypto::Argon2Cost cost);
  std::vector<WorkerFigures> workers() const;
  HashPool& local();
  std::chrono::milliseconds deadline() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::passwords

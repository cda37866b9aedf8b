#pragma once
// Bounds how many hashes run and wait. Threads of lower priority drain the queue; jobs with the same batch
// key (bcrypt of one cost) are taken up to four at a time and run interleaved. Beyond the bound a job is
// refused at once (busy): never a queue without end. Thread-safe.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "passwords/record.hpp"

namespace muhur::passwords {

struct Verdict {
  bool right = false;
  Secret kek;               // of an own Argon2id record, also when the verifier did not match: check `right`
};

struct PoolOptions {
  std::size_t threads = 0;  // 0: one a core
  std::size_t max_waiting = 1'000;
  int nice = 10;
};

struct PoolFigures {
  std::size_t waiting, running;
  std::uint64_t done, refused, batches;
};

class HashPool {
 public:
  using Done = std::function<void(Result<Verdict>)>;
  using Hashed = std::function<void(Result<std::string>)>;

  explicit HashPool(PoolOptions options = {});
  ~HashPool();  // refuses what waits (closed), finishes what runs

  // `done` runs on a pool thread. busy: the queue is full. A job whose deadline passes while it waits is
  // answered timed_out and not computed.
  void verify(Secret password, Record record, std::chrono::steady_clock::time_point deadline, Done done);
  // A new record with the given cost: an own Argon2id record, or bcrypt for tests and benches.
  void hash(Secret password, crypto::Argon2Cost cost, std::chrono::steady_clock::time_point deadline, Hashed done);
  PoolFigures figures() const;
  std::size_t threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::passwords

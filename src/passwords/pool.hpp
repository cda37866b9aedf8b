#pragma once
// Bounds how many hashes run and wait. Threads of lower priority drain the queue; jobs with the same batch
// key (bcrypt of one cost) are taken up to four at a time and run interleaved. Beyond the bound a job is
// refused at once (busy): never a queue without end. Thread-safe.
//
// Oldest first, and nobody waits for a batch to fill. A thread takes no more than its share of what waits
// among the idle threads: two jobs for two idle threads are one each (60 ms, not 65), eight jobs for one
// idle thread are four (four at once cost half again as much time as one).
//
// A pool goes before the io_context whose coroutines wait for it: its destructor still answers them.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "passwords/verify.hpp"

namespace muhur::passwords {

struct PoolOptions {
  std::size_t threads = 0;  // 0: one a core
  std::size_t max_waiting = 1'000;
  int nice = 10;
};

struct PoolFigures {
  std::size_t waiting = 0, running = 0;
  std::uint64_t done = 0, refused = 0, batches = 0;  // a job alone is a batch of one
};

class HashPool {
 public:
  using Done = std::function<void(Result<Verdict>)>;
  using Hashed = std::function<void(Result<std::string>)>;

  explicit HashPool(PoolOptions options = {});
  ~HashPool();  // refuses what waits (closed), finishes what runs
  HashPool(const HashPool&) = delete;
  HashPool& operator=(const HashPool&) = delete;

  // `done` runs on a pool thread. busy: the queue is full. A job whose deadline passes while it waits is
  // answered timed_out and not computed.
  void verify(Secret password, Record record, std::chrono::steady_clock::time_point deadline, Done done);
  // A new record of our own with a random salt. busy and timed_out as above.
  void hash(Secret password, crypto::Argon2Cost cost, std::chrono::steady_clock::time_point deadline,
            Hashed done);
  PoolFigures figures() const;
  std::size_t threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::passwords

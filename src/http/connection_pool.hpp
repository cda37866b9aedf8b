#pragma once
// Connections that wait for their next request, by scheme, host and port. Thread-safe. Private to http/.

#include <chrono>
#include <unordered_map>

#include "base/sync.hpp"
#include "net/stream.hpp"

namespace muhur::http {

class ConnectionPool {
 public:
  ConnectionPool(std::size_t max_idle_per_host, std::chrono::milliseconds keep_idle)
      : most_(max_idle_per_host), keep_(keep_idle) {}

  // The one used last, whose peer is least likely to have hung up; null when there is none. The stream stays
  // on the executor that it was made on.
  net::StreamPtr take(const std::string& key);
  void give(const std::string& key, net::StreamPtr stream);
  std::size_t idle() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Waiting {
    net::StreamPtr stream;
    Time since;
  };
  const std::size_t most_;
  const std::chrono::milliseconds keep_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, std::vector<Waiting>> waiting_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::http

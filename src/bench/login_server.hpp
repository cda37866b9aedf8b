#pragma once
// The server under load, looked at from outside: by its /metrics where it has one that tells, else by /proc
// of its process. What neither tells is unknown.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/stream.hpp"

namespace muhur::bench {

struct ServerFigures {
  std::optional<double> cpu_s;       // of the whole process
  std::optional<double> hash_cpu_s;  // of its hashing threads
  std::optional<double> worker_cpu_s;
  std::optional<double> rss_bytes;
  std::optional<double> commits, fsyncs, hashes, batches;
};

// The sum of a metric over its labels, in Prometheus' text format; nullopt when it is not there.
std::optional<double> metric_sum(std::string_view text, std::string_view name);

struct ServerProbe {
  std::string host;
  std::uint16_t port = 0;
  std::string authority;  // for the Host field
  pid_t pid = 0;          // 0: not known
  std::vector<pid_t> worker_pids;

  // Never fails: what cannot be read is unknown.
  net::Task<ServerFigures> look() const;
};

}  // namespace muhur::bench

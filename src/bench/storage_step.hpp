#pragma once
// Timing of one step of a storage workload: wall time, this process's CPU time, and the slowest operations.

#include <boost/json/object.hpp>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "bench/report.hpp"

namespace muhur::bench {

class Stopwatch {
 public:
  Stopwatch() : cpu_(cpu_ms()), wall_(Clock::now()) {}
  double wall() const { return std::chrono::duration<double, std::milli>(Clock::now() - wall_).count(); }
  double cpu() const { return cpu_ms() - cpu_; }

 private:
  using Clock = std::chrono::steady_clock;
  static double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
  }
  double cpu_;
  Clock::time_point wall_;
};

// Before each step, outside its time: a process that has just used up its time slice would be interrupted
// early in the step, and the more so the more CPU time the step before took.
inline void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

// Runs operation(i) for i in [0, count) and writes NAME_per_s, NAME_cpu_us and NAME_p99_us (both an
// operation). The first failure ends it.
template <class F>
Result<void> timed_each(boost::json::object& out, const std::string& name, int count, F operation) {
  std::vector<double> each(static_cast<std::size_t>(count));
  settle();
  const Stopwatch all;
  for (int i = 0; i < count; ++i) {
    const double before = all.wall();
    MUHUR_CHECK(operation(i));
    each[static_cast<std::size_t>(i)] = all.wall() - before;
  }
  const double cpu = all.cpu();
  const double wall = all.wall();
  out[name + "_per_s"] = count / wall * 1e3;
  out[name + "_cpu_us"] = cpu / count * 1e3;
  out[name + "_p99_us"] = percentile(std::move(each), 99) * 1e3;
  return {};
}

// Runs operation() once and writes NAME_ms and NAME_cpu_ms.
template <class F>
Result<void> timed_once(boost::json::object& out, const std::string& name, F operation) {
  settle();
  const Stopwatch all;
  MUHUR_CHECK(operation());
  const double cpu = all.cpu();
  out[name + "_ms"] = all.wall();
  out[name + "_cpu_ms"] = cpu;
  return {};
}

}  // namespace muhur::bench

#include "base/metrics_process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/metrics.hpp"

namespace muhur::metrics {
namespace {

// Of /proc/self/stat, by the numbers of proc(5). The second field is a name in parentheses that may hold
// anything, so they count from behind it.
struct Stat {
  std::int64_t threads = 0, start_ticks = 0, virtual_bytes = 0, resident_pages = 0;
};

bool read_stat(Stat& stat) {
  std::ifstream in("/proc/self/stat");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return false;
  std::istringstream rest(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field <= 24; ++field) {
    if (field == 20)
      rest >> stat.threads;
    else if (field == 22)
      rest >> stat.start_ticks;
    else if (field == 23)
      rest >> stat.virtual_bytes;
    else if (field == 24)
      rest >> stat.resident_pages;
    else
      rest >> skipped;
  }
  return !rest.fail();
}

// When the machine started: ticks count from there.
std::int64_t boot_time_s() {
  timespec now{}, up{};
  clock_gettime(CLOCK_REALTIME, &now);
  clock_gettime(CLOCK_BOOTTIME, &up);
  return now.tv_sec - up.tv_sec;
}

std::int64_t open_files() {
  std::error_code error;
  std::int64_t count = -1;  // looking takes one itself
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error))
    ++count;
  return std::max<std::int64_t>(count, 0);
}

std::chrono::nanoseconds time_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

void set_process_figures() {
  static auto& cpu = seconds("process_cpu_seconds_total", "CPU time of this process, user and system");
  static auto& resident = gauge("process_resident_memory_bytes", "Memory that is held in RAM");
  static auto& mapped = gauge("process_virtual_memory_bytes", "Memory that is mapped");
  static auto& files = gauge("process_open_fds", "Open file descriptors");
  static auto& most_files = gauge("process_max_fds", "How many file descriptors may be open");
  static auto& threads = gauge("process_threads", "Threads");
  static auto& started = gauge("process_start_time_seconds", "When the process started, since 1970");

  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) cpu.set(time_of(usage.ru_utime) + time_of(usage.ru_stime));
  Stat stat;
  if (read_stat(stat)) {
    resident.set(stat.resident_pages * sysconf(_SC_PAGESIZE));
    mapped.set(stat.virtual_bytes);
    threads.set(stat.threads);
    static const std::int64_t start_s = boot_time_s() + stat.start_ticks / sysconf(_SC_CLK_TCK);
    started.set(start_s);
  }
  files.set(open_files());
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) most_files.set(static_cast<std::int64_t>(limit.rlim_cur));
}

}  // namespace muhur::metrics

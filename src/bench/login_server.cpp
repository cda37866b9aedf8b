#include "bench/login_server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/login_connection.hpp"

namespace muhur::bench {
namespace {

constexpr std::string_view kHashThread = "hash";  // as passwords/pool names its threads

struct StatLine {
  std::string name;
  double cpu_s = 0, rss_bytes = 0;
};

// proc(5): "pid (name) state …", fields 14 utime, 15 stime in ticks, 24 rss in pages.
std::optional<StatLine> read_stat(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const auto open = line.find('('), close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  StatLine stat{.name = line.substr(open + 1, close - open - 1)};
  std::istringstream rest(line.substr(close + 1));
  std::string field;
  for (int number = 3; rest >> field && number <= 24; ++number) {
    if (number == 14 || number == 15)
      stat.cpu_s += std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
    if (number == 24) stat.rss_bytes = std::stod(field) * static_cast<double>(sysconf(_SC_PAGESIZE));
  }
  return stat;
}

void read_process(pid_t pid, ServerFigures& into) {
  const std::filesystem::path directory = fmt::format("/proc/{}", pid);
  if (const auto stat = read_stat(directory / "stat")) {
    into.cpu_s = stat->cpu_s;
    into.rss_bytes = stat->rss_bytes;
  }
  if (into.hash_cpu_s) return;  // the server told
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(directory / "task", error)) {
    const auto stat = read_stat(thread.path() / "stat");
    if (stat && stat->name == kHashThread) into.hash_cpu_s = into.hash_cpu_s.value_or(0) + stat->cpu_s;
  }
}

void read_metrics(std::string_view text, ServerFigures& into) {
  into.cpu_s = metric_sum(text, "process_cpu_seconds_total");
  into.rss_bytes = metric_sum(text, "process_resident_memory_bytes");
  into.hash_cpu_s = metric_sum(text, "muhur_password_hash_cpu_seconds_total");
  into.commits = metric_sum(text, "muhur_commits_total");
  into.fsyncs = metric_sum(text, "muhur_fsyncs_total");
  into.hashes = metric_sum(text, "muhur_password_hashes_total");
  into.batches = metric_sum(text, "muhur_password_batches_total");
}

}  // namespace

std::optional<double> metric_sum(std::string_view text, std::string_view name) {
  std::optional<double> sum;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    if (line.starts_with('{')) line.remove_prefix(std::min(line.find('}') + 1, line.size()));
    if (!line.starts_with(' ')) continue;
    line.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error == std::errc{}) sum = sum.value_or(0) + value;
  }
  return sum;
}

net::Task<ServerFigures> ServerProbe::look() const {
  ServerFigures figures;
  LoginConnection connection(host, port);
  const std::string request =
      fmt::format("GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", authority);
  const auto answer = co_await connection.exchange(request);
  if (answer && answer->status == 200) read_metrics(answer->body, figures);
  if (pid > 0) read_process(pid, figures);
  for (const pid_t worker : worker_pids)
    if (const auto stat = read_stat(fmt::format("/proc/{}/stat", worker)))
      figures.worker_cpu_s = figures.worker_cpu_s.value_or(0) + stat->cpu_s;
  co_return figures;
}

}  // namespace muhur::bench

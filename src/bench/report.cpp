#include "bench/report.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <fstream>
#include <thread>

namespace muhur::bench {

Summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  return {median, values.front(), values.back(), n};
}

double percentile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(p / 100 * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

namespace {

std::string number(double value) {
  if (value == 0) return "0";
  if (std::abs(value) >= 100) return fmt::format("{:.0f}", value);
  if (std::abs(value) >= 1) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

}  // namespace

void Report::print(std::ostream& out) const {
  out << title_ << "\n\n";
  std::size_t width = 10;
  for (const Row& row : rows_) width = std::max(width, row.label.size());
  out << fmt::format("{:<{}}  {:>12}  {:>25}  {:>6}\n", "figure", width, "median", "low to high", "rounds");
  for (const Row& row : rows_) {
    const auto range = fmt::format("{} to {}", number(row.value.low), number(row.value.high));
    out << fmt::format("{:<{}}  {:>12}  {:>25}  {:>6}\n", row.label, width,
                       number(row.value.median) + " " + row.unit, range, row.value.rounds);
  }
  for (const std::string& text : notes_) out << "\n" << text;
  if (!notes_.empty()) out << "\n";
}

boost::json::object machine() {
  utsname name{};
  uname(&name);
  return {{"cores", std::thread::hardware_concurrency()},
          {"cpu", cpu_model()},
          {"kernel", std::string(name.release)}};
}

boost::json::object Report::json() const {
  boost::json::object results;
  for (const Row& row : rows_)
    results[row.key] = boost::json::object{{"median", row.value.median},
                                           {"low", row.value.low},
                                           {"high", row.value.high},
                                           {"rounds", row.value.rounds},
                                           {"unit", row.unit}};
  boost::json::array notes;
  for (const std::string& text : notes_) notes.emplace_back(text);
  return {{"title", title_}, {"machine", machine()}, {"results", results}, {"notes", notes}};
}

Result<void> Report::write_json(const std::filesystem::path& file) const {
  std::ofstream out(file, std::ios::trunc);
  out << boost::json::serialize(json()) << "\n";
  out.flush();
  if (!out) return fail_errno(errno, "write " + file.string());
  return {};
}

}  // namespace muhur::bench

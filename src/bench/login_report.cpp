#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <fstream>

#include "bench/login.hpp"
#include "bench/report.hpp"

namespace muhur::bench {
namespace json = boost::json;
namespace {

double rounded(double value) { return std::round(value * 1000) / 1000; }
json::value shown(std::optional<double> value) {
  return value ? json::value(rounded(*value)) : json::value(nullptr);
}
std::string text_of(std::optional<double> value, std::string_view unit) {
  return value ? fmt::format("{:.2f}{}", *value, unit) : std::string("unknown");
}

std::optional<double> less(std::optional<double> whole, std::optional<double> part) {
  if (!whole || !part) return std::nullopt;
  return *whole - *part;
}

constexpr double kMiB = 1 << 20;

}  // namespace

StepFigures figures_of(std::vector<float> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto at = [&](double share) {  // nearest rank
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return static_cast<double>(values[std::clamp<std::size_t>(rank, 1, values.size()) - 1]);
  };
  return {values.size(), at(0.5), at(0.95), at(0.99), static_cast<double>(values.back())};
}

double LoginResults::per_second() const {
  return seconds > 0 ? static_cast<double>(tally.iterations) / seconds : 0;
}

std::optional<double> LoginResults::grown(std::optional<double> ServerFigures::* figure) const {
  return less(after.*figure, before.*figure);
}

json::object LoginResults::json() const {
  const auto each = [&](std::optional<double> seconds_of) -> std::optional<double> {
    if (!seconds_of || tally.iterations == 0) return std::nullopt;
    return *seconds_of * 1000 / static_cast<double>(tally.iterations);
  };
  const auto cpu = grown(&ServerFigures::cpu_s), hashing = grown(&ServerFigures::hash_cpu_s);
  json::object by_step;
  for (std::size_t i = 0; i < steps.size(); ++i)
    by_step[kLoginSteps[i]] = json::object{{"count", steps[i].count},
                                           {"p50_ms", rounded(steps[i].p50_ms)},
                                           {"p95_ms", rounded(steps[i].p95_ms)},
                                           {"p99_ms", rounded(steps[i].p99_ms)},
                                           {"max_ms", rounded(steps[i].worst_ms)}};
  json::object texts;
  for (const auto& [text, count] : tally.texts) texts[text] = count;
  json::array points;
  for (const auto& [iterations, bytes] : memory)
    points.push_back(json::object{{"iterations", iterations}, {"bytes", bytes}});
  return {{"profile", options.profile.name},
          {"users", options.users},
          {"accounts", options.accounts},
          {"seconds", rounded(seconds)},
          {"iterations", tally.iterations},
          {"iterations_per_s", rounded(per_second())},
          {"errors", tally.errors},
          {"error_texts", std::move(texts)},
          {"refused", tally.refused},
          {"connections", connections},
          {"steps", std::move(by_step)},
          {"server_cpu_ms_per_iteration", shown(each(cpu))},
          {"server_hash_cpu_ms_per_iteration", shown(each(hashing))},
          {"server_other_cpu_ms_per_iteration", shown(each(less(cpu, hashing)))},
          {"worker_cpu_ms_per_iteration", shown(each(grown(&ServerFigures::worker_cpu_s)))},
          {"generator_cpu_ms_per_iteration", shown(each(generator_cpu_s))},
          {"commits", shown(grown(&ServerFigures::commits))},
          {"fsyncs", shown(grown(&ServerFigures::fsyncs))},
          {"hashes", shown(grown(&ServerFigures::hashes))},
          {"hash_batches", shown(grown(&ServerFigures::batches))},
          {"server_rss_bytes", {{"before", shown(before.rss_bytes)}, {"after", shown(after.rss_bytes)}}},
          {"server_memory", std::move(points)},
          {"machine", machine()}};
}

void LoginResults::print(std::ostream& out) const {
  const json::object all = json();
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto& value = all.at(key);
    if (value.is_null()) return std::nullopt;
    return value.to_number<double>();
  };
  out << fmt::format("Sign-ins at {} ({}), {} users at once, {:.1f} s\n\n", options.url, options.profile.name,
                     options.users, seconds);
  out << fmt::format("{:<12}{:>10}{:>12}{:>12}{:>12}{:>12}\n", "step", "count", "p50 ms", "p95 ms", "p99 ms",
                     "worst ms");
  for (std::size_t i = 0; i < steps.size(); ++i)
    out << fmt::format("{:<12}{:>10}{:>12.2f}{:>12.2f}{:>12.2f}{:>12.2f}\n", kLoginSteps[i], steps[i].count,
                       steps[i].p50_ms, steps[i].p95_ms, steps[i].p99_ms, steps[i].worst_ms);
  out << fmt::format("\n{:.1f} iterations/s, {} errors, {} refused with Retry-After, {} connections\n",
                     per_second(), tally.errors, tally.refused, connections);
  for (const auto& [text, count] : tally.texts) out << fmt::format("  {} times: {}\n", count, text);
  out << fmt::format("CPU an iteration: server {} (hashing {}, the rest {})",
                     text_of(number("server_cpu_ms_per_iteration"), " ms"),
                     text_of(number("server_hash_cpu_ms_per_iteration"), " ms"),
                     text_of(number("server_other_cpu_ms_per_iteration"), " ms"));
  if (number("worker_cpu_ms_per_iteration"))
    out << ", workers " << text_of(number("worker_cpu_ms_per_iteration"), " ms");
  out << ", this generator " << text_of(number("generator_cpu_ms_per_iteration"), " ms\n");
  out << fmt::format("Commits {}, fsyncs {}", text_of(number("commits"), ""), text_of(number("fsyncs"), ""));
  if (before.rss_bytes && after.rss_bytes)
    out << fmt::format("; the server's memory {:.1f} MiB before, {:.1f} MiB after", *before.rss_bytes / kMiB,
                       *after.rss_bytes / kMiB);
  out << "\n";
}

Result<void> LoginResults::write_json(const std::filesystem::path& file) const {
  std::ofstream out(file, std::ios::trunc);
  out << boost::json::serialize(json()) << "\n";
  out.flush();
  if (!out) return fail_errno(errno, "write " + file.string());
  return {};
}

}  // namespace muhur::bench

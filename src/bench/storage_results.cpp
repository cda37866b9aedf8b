#include "bench/storage_results.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <fstream>

namespace muhur::bench {
namespace {

constexpr double kMb = 1.0 / (1 << 20);

constexpr std::array kSeedColumns{
    Column{"setup_ms", "setup ms"},
    Column{"insert_per_s", "insert/s", 1, true},
    Column{"select_per_s", "select/s", 1, true},
    Column{"update_per_s", "update/s", 1, true},
    Column{"delete_per_s", "delete/s", 1, true},
    Column{"insert_cpu_us", "insert CPU us"},
    Column{"select_cpu_us", "select CPU us"},
    Column{"update_cpu_us", "update CPU us"},
    Column{"db_bytes", "db MB", kMb},
    Column{"wal_bytes", "WAL MB", kMb},
};
constexpr std::array kExtendedColumns{
    Column{"setup_ms", "setup ms"},
    Column{"insert_per_s", "insert/s", 1, true},
    Column{"select_per_s", "select/s", 1, true},
    Column{"update_per_s", "update/s", 1, true},
    Column{"insert_p99_us", "insert p99 us"},
    Column{"select_p99_us", "select p99 us"},
    Column{"update_p99_us", "update p99 us"},
    Column{"real_delete_ms", "delete 500 ms"},
    Column{"vacuum_ms", "VACUUM ms"},
    Column{"db_bytes", "db MB", kMb},
};
constexpr std::array kLargeColumns{
    Column{"write_cpu_ms", "write CPU ms"},
    Column{"checkpoint_cpu_ms", "checkpoint CPU ms"},
    Column{"scan_cpu_ms", "scan CPU ms"},
    Column{"lookup_per_s", "lookup/s", 1, true},
    Column{"index_cpu_ms", "CREATE INDEX CPU ms"},
    Column{"delete_ms", "delete half ms"},
    Column{"vacuum_ms", "VACUUM ms"},
    Column{"vacuum_peak_bytes", "VACUUM peak MB", kMb},
};

std::string_view group_of(const StorageConfig& config) {
  if (config.workload == Workload::large) return "large";
  return config.more ? "extended" : "seed";
}

std::size_t place_of(const StorageConfig* config) {
  std::size_t place = 0;
  for (const auto configs : {seed_configs(), extended_configs()})
    for (const StorageConfig& one : configs) {
      if (&one == config) return place;
      ++place;
    }
  return place;
}

boost::json::object as_json(const Summary& s) {
  return {{"median", s.median}, {"low", s.low}, {"high", s.high}};
}

}  // namespace

std::span<const Column> columns_of(std::string_view group) {
  if (group == "seed") return kSeedColumns;
  if (group == "extended") return kExtendedColumns;
  return kLargeColumns;
}

std::string_view title_of(std::string_view group) {
  if (group == "seed") return "The seed's workload, its ten configurations";
  if (group == "extended") return "The seed's workload, what it leaves out";
  return "Larger than the cache: 20,000 messages, 82 MB, a cache of 2 MB; temp files beside the database "
         "unless said";
}

std::string shown(double value) {
  if (value == 0) return "0";
  if (std::abs(value) < 10) return fmt::format("{:.2f}", value);
  if (std::abs(value) < 1000) return fmt::format("{:.1f}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

void StorageResults::add(const StorageConfig& config, const boost::json::object& figures) {
  auto at =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.config == &config; });
  if (at == entries_.end()) at = entries_.insert(at, Entry{&config, {}});
  for (const auto& [key, value] : figures)
    if (value.is_number()) at->rounds[std::string(key)].push_back(value.to_number<double>());
}

Summary StorageResults::Entry::summary(std::string_view key) const {
  const auto at = rounds.find(key);
  return at == rounds.end() ? Summary{} : summarize(at->second);
}

std::vector<const StorageResults::Entry*> StorageResults::group(std::string_view name) const {
  std::vector<const Entry*> found;
  for (const Entry& entry : entries_)
    if (group_of(*entry.config) == name) found.push_back(&entry);
  std::sort(found.begin(), found.end(),
            [](const Entry* a, const Entry* b) { return place_of(a->config) < place_of(b->config); });
  return found;
}

std::string StorageResults::conditions() const {
  const auto about = machine();
  return fmt::format(
      "Medians of {} rounds, each a process of its own; databases in {}; {}, {} cores; SQLite {}.", rounds_,
      directory_.string(), std::string_view(about.at("cpu").as_string()), about.at("cores").to_number<int>(),
      sqlite3_libversion());
}

void StorageResults::print(std::ostream& out) const {
  out << conditions() << "\n";
  for (const std::string_view name : kGroups) {
    const auto entries = group(name);
    if (entries.empty()) continue;
    std::size_t width = 0;
    for (const Entry* const entry : entries) width = std::max(width, entry->config->label.size());
    out << "\n" << title_of(name) << "\n" << fmt::format("{:<{}}", "", width);
    for (const Column& column : columns_of(name)) out << "  " << column.title;
    out << "\n";
    for (const Entry* const entry : entries) {
      out << fmt::format("{:<{}}", entry->config->label, width);
      for (const Column& column : columns_of(name)) {
        const std::string cell =
            entry->has(column.key) ? shown(entry->summary(column.key).median * column.scale) : "-";
        out << fmt::format("  {:>{}}", cell, column.title.size());
      }
      out << "\n";
    }
  }
  out << "\nOne page of 4,096 bytes, CPU time\n";
  for (const Row& row : cipher_)
    out << fmt::format("{:<32}  {:.3f} {}  ({:.3f} to {:.3f})\n", row.label, row.value.median, row.unit,
                       row.value.low, row.value.high);
}

boost::json::object StorageResults::json() const {
  boost::json::object out{{"machine", machine()},
                          {"rounds", rounds_},
                          {"directory", directory_.string()},
                          {"sqlite", sqlite3_libversion()}};
  for (const std::string_view name : kGroups) {
    boost::json::array all;
    for (const Entry* const entry : group(name)) {
      boost::json::object figures;
      for (const auto& [key, values] : entry->rounds) figures[key] = as_json(summarize(values));
      all.push_back(boost::json::object{
          {"name", entry->config->name}, {"label", entry->config->label}, {"figures", std::move(figures)}});
    }
    out[name] = std::move(all);
  }
  boost::json::object cipher;
  for (const Row& row : cipher_) cipher[row.key + "_us"] = as_json(row.value);
  out["cipher"] = std::move(cipher);
  return out;
}

Result<void> StorageResults::write_json(const std::filesystem::path& file) const {
  std::ofstream out(file, std::ios::trunc);
  out << boost::json::serialize(json()) << "\n";
  out.flush();
  if (!out) return fail_errno(errno, "write " + file.string());
  return {};
}

}  // namespace muhur::bench

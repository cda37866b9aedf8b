#pragma once
// The figures of all configurations over all rounds: as tables for the terminal and as JSON.

#include <boost/json/object.hpp>
#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/storage_config.hpp"

namespace muhur::bench {

// A column of a table and a chart of the page. `scale` turns the stored figure into the unit shown.
struct Column {
  std::string_view key;
  std::string_view title;
  double scale = 1;
  bool more_is_better = false;
};
// Of the seed's ten, of the extended ones that run the seed's workload, of the large ones.
std::span<const Column> columns_of(std::string_view group);

class StorageResults {
 public:
  StorageResults(std::filesystem::path directory, std::size_t rounds)
      : directory_(std::move(directory)), rounds_(rounds) {}

  // The figures of one round of a configuration.
  void add(const StorageConfig& config, const boost::json::object& figures);
  void set_cipher(std::vector<Row> rows) { cipher_ = std::move(rows); }

  struct Entry {
    const StorageConfig* config;
    std::map<std::string, std::vector<double>, std::less<>> rounds;
    Summary summary(std::string_view key) const;  // of nothing when there is no such figure
    bool has(std::string_view key) const { return rounds.contains(key); }
  };
  // "seed", "extended" or "large", in the order of the configurations.
  std::vector<const Entry*> group(std::string_view name) const;
  const std::vector<Row>& cipher() const { return cipher_; }
  std::string conditions() const;  // one line: rounds, directory, machine, SQLite

  void print(std::ostream& out) const;
  // {"machine":…, "rounds", "directory", "sqlite", "seed":[{"name","label","figures":{KEY:{"median","low",
  // "high"}}}], "extended":[…], "large":[…], "cipher":{KEY:{…}}}; times in ms or us as the key says.
  boost::json::object json() const;
  Result<void> write_json(const std::filesystem::path& file) const;

 private:
  std::filesystem::path directory_;
  std::size_t rounds_;
  std::vector<Entry> entries_;
  std::vector<Row> cipher_;
};

inline constexpr std::string_view kGroups[] = {"seed", "extended", "large"};
std::string_view title_of(std::string_view group);
// A figure as people read it: 41,427; 8.31.
std::string shown(double value);

}  // namespace muhur::bench

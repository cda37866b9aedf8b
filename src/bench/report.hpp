#pragma once
// What a benchmark found: rows of figures, printed as a table and written as JSON. Rates and times are
// medians over rounds with their range, since machines are shared and noisy.

#include <boost/json/object.hpp>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace muhur::bench {

struct Summary {
  double median = 0, low = 0, high = 0;
  std::size_t rounds = 0;
};
Summary summarize(std::vector<double> values);
double percentile(std::vector<double> values, double p);  // p in [0, 100]; nearest rank; 0 when empty

struct Row {
  std::string key;    // in JSON: "append_per_s"
  std::string label;  // in the table: "APPEND"
  std::string unit;   // "/s", "ms", "bytes"
  Summary value;
};

class Report {
 public:
  explicit Report(std::string title) : title_(std::move(title)) {}
  void add(Row row) { rows_.push_back(std::move(row)); }
  void note(std::string text) { notes_.push_back(std::move(text)); }
  const std::vector<Row>& rows() const { return rows_; }

  void print(std::ostream& out) const;
  // {"title":…, "machine":{cores, cpu, kernel}, "results":{key:{"median","low","high","rounds","unit"}}, "notes":[…]}
  boost::json::object json() const;
  Result<void> write_json(const std::filesystem::path& file) const;

 private:
  std::string title_;
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
};

boost::json::object machine();

}  // namespace muhur::bench

#pragma once
// How every `muhur bench` ends. Private to the cmd_bench files.

#include <boost/json/serialize.hpp>
#include <iostream>
#include <string>

#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {

// Tables on standard output, and JSON into the file that was named; "-": JSON on standard output instead.
// `Results` has json(), print() and write_json(). The exit code.
template <class Results>
int show_results(const Results& results, const std::string& json_file) {
  if (json_file == "-") {
    std::cout << boost::json::serialize(results.json()) << "\n";
    return kDone;
  }
  results.print(std::cout);
  if (json_file.empty()) return kDone;
  const auto written = results.write_json(json_file);
  return written ? kDone : report(written.error());
}

}  // namespace muhur::cli

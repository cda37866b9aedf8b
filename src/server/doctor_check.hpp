#pragma once
// What the doctor finds: one line a check.

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace muhur::server {

enum class Verdict {
  ok,
  warn,  // works, and will not for ever
  fail,  // does not work, or loses data
};
std::string_view name_of(Verdict verdict);

struct Check {
  std::string name;
  Verdict verdict = Verdict::ok;
  std::string detail;
  std::string remedy;  // empty when there is nothing to do
};

inline Check fine(std::string name, std::string detail) {
  return {std::move(name), Verdict::ok, std::move(detail), {}};
}
inline Check warning(std::string name, std::string detail, std::string remedy) {
  return {std::move(name), Verdict::warn, std::move(detail), std::move(remedy)};
}
inline Check failure(std::string name, std::string detail, std::string remedy) {
  return {std::move(name), Verdict::fail, std::move(detail), std::move(remedy)};
}
inline Check failure(std::string name, const Error& error) {
  return {std::move(name), Verdict::fail, error.what, error.remedy};
}

using Checks = std::vector<Check>;
// [{"name","verdict","ok","detail","remedy"}]; "ok" is false for a failure only.
boost::json::array as_json(const Checks& checks);

}  // namespace muhur::server

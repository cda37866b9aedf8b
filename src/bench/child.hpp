#pragma once
// A demonstration server of our own, started as a child on free ports in a temporary directory, and ended
// with this object.

#include <sys/types.h>

#include <boost/json/object.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace muhur::bench {

class Child {
 public:
  // Runs this very program with the arguments, and `demo --json --ports 0 --data DIR` before them; returns
  // when it says that it is ready.
  static Result<std::unique_ptr<Child>> start_demo(std::vector<std::string> more = {});
  ~Child();
  const boost::json::object& ready() const { return ready_; }
  pid_t pid() const { return pid_; }
  // Proportional set size in bytes, from /proc.
  Result<std::uint64_t> memory() const;
  // User and system time so far, in seconds.
  Result<double> cpu_seconds() const;

 private:
  Child() = default;
  pid_t pid_ = -1;
  int output_ = -1;
  std::filesystem::path directory_;
  boost::json::object ready_;
};

}  // namespace muhur::bench

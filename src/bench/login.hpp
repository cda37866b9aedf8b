#pragma once
// The load of sign-ins: so many users at once, each going through the five steps of bench/login_flow.hpp
// again and again without a pause, on one thread and one connection each. A user that is told to come back
// later (503 with Retry-After) waits that long; what else is unexpected is an error.

#include <boost/json/object.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <ostream>

#include "bench/login_flow.hpp"
#include "bench/login_server.hpp"

namespace muhur::bench {

struct LoginOptions {
  std::string url;  // "http://127.0.0.1:8080": plain HTTP
  LoginProfile profile;
  std::size_t users = 100;
  std::chrono::milliseconds time{30'000};    // of what is counted
  std::uint64_t iterations = 0;              // ends after so many, where not 0
  std::chrono::milliseconds ramp_up{1'000};  // the users begin one after another over so long
  std::chrono::milliseconds warm_up{5'000};  // and nothing is counted until so long after that
  std::uint64_t accounts = 1'000;            // taken in turn
  pid_t pid = 0;                             // the server's, for its CPU and memory
  std::vector<pid_t> worker_pids;
  // Called every tenth of a second with the share that is done, 0 to 1.
  std::function<void(double)> progress;
};

struct StepFigures {
  std::size_t count = 0;
  double p50_ms = 0, p95_ms = 0, p99_ms = 0, worst_ms = 0;
};
StepFigures figures_of(std::vector<float> milliseconds);

struct LoginResults {
  LoginOptions options;
  double seconds = 0;  // that were counted
  LoginTally tally;
  std::array<StepFigures, 5> steps;
  std::uint64_t connections = 0;
  double generator_cpu_s = 0;
  ServerFigures before, after;
  // How the server's memory went: iterations so far, bytes.
  std::vector<std::pair<std::uint64_t, double>> memory;

  double per_second() const;
  // A figure's growth during the run; nullopt where it is not known.
  std::optional<double> grown(std::optional<double> ServerFigures::* figure) const;
  void print(std::ostream& out) const;
  // {"iterations_per_s", "errors", "steps": {"authorize": {"p50_ms", "p95_ms", "p99_ms"}, …},
  //  "server_cpu_ms_per_iteration", "commits", "fsyncs", …}; null is unknown.
  boost::json::object json() const;
  Result<void> write_json(const std::filesystem::path& file) const;
};

// invalid: the URL. Fails when the server cannot be reached at all.
Result<LoginResults> run_login(LoginOptions options);

}  // namespace muhur::bench

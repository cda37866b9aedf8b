// muhur bench login: users who sign in, at our own server or (with a profile) another one.

#include "bench/login.hpp"
#include "cli/bench_output.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {
namespace {

struct Args {
  std::string url, profile, json;
  std::int64_t users = 100, seconds = 0, iterations = 0, accounts = 1'000, ramp_up = 1, warm_up = 5, pid = 0;
  std::vector<std::string> worker_pids;
};

constexpr std::int64_t kSeconds = 30;
constexpr std::int64_t kLongest = 24 * 3600;

Result<bench::LoginOptions> options_of(const Args& args) {
  const auto wrong = [](std::string what) { return fail(Code::invalid, std::move(what)); };
  if (args.users < 1 || args.users > 20'000) return wrong("--users takes a number from 1 to 20000");
  if (args.seconds < 0 || args.seconds > kLongest || args.iterations < 0 || args.ramp_up < 0 ||
      args.ramp_up > kLongest || args.warm_up < 0 || args.warm_up > kLongest)
    return wrong("--seconds, --iterations, --ramp-up and --warm-up take numbers from 0");
  if (args.accounts < 1) return wrong("--accounts takes a number from 1");
  bench::LoginOptions options;
  options.url = args.url;
  if (!args.profile.empty()) {
    MUHUR_TRY(options.profile, bench::LoginProfile::read(args.profile));
  }
  options.users = static_cast<std::size_t>(args.users);
  options.accounts = static_cast<std::uint64_t>(args.accounts);
  options.iterations = static_cast<std::uint64_t>(args.iterations);
  // A number of iterations alone takes as long as it takes.
  const std::int64_t seconds = args.seconds ? args.seconds : args.iterations ? kLongest : kSeconds;
  options.time = std::chrono::seconds(seconds);
  options.ramp_up = std::chrono::seconds(args.ramp_up);
  options.warm_up = std::chrono::seconds(args.warm_up);
  options.pid = static_cast<pid_t>(args.pid);
  for (const std::string& text : args.worker_pids) {
    char* end = nullptr;
    const long pid = std::strtol(text.c_str(), &end, 10);
    if (*end != '\0' || pid < 1) return wrong("--worker-pid takes a process id");
    options.worker_pids.push_back(static_cast<pid_t>(pid));
  }
  return options;
}

int measure(const Args& args) {
  auto options = options_of(args);
  if (!options) return report(options.error()), kUsage;
  Result<bench::LoginResults> results = [&] {
    Progress bar("Signing in", 1'000);
    options->progress = [&](double share) { bar.at(static_cast<std::uint64_t>(share * 1'000)); };
    return bench::run_login(std::move(*options));
  }();
  if (!results) return report(results.error());
  return show_results(*results, args.json);
}

}  // namespace

void describe_bench_login(Command& bench) {
  auto args = std::make_shared<Args>();
  auto& command = bench.command("login", "Users who sign in by browser: five steps, again and again.");
  command.option("--url", "URL", args->url, "The server: http://HOST:PORT.", true);
  command.option("--users", "N", args->users, "Users at once, a connection each. Default: 100.");
  command.option("--seconds", "T", args->seconds, "How long is counted. Default: 30.");
  command.option("--iterations", "N", args->iterations, "Ends after so many sign-ins.");
  command.option("--accounts", "N", args->accounts, "Accounts, taken in turn. Default: 1000.");
  command.option("--ramp-up", "S", args->ramp_up, "The users begin over so many seconds. Default: 1.");
  command.option("--warm-up", "S", args->warm_up, "Counting begins so long after that. Default: 5.");
  command.option("--profile", "FILE", args->profile, "How another server's forms are driven (JSON).");
  command.option("--pid", "PID", args->pid, "The server's process, for its CPU and memory by /proc.");
  command.options("--worker-pid", "PID", args->worker_pids, "A worker's process: its CPU is told apart.");
  command.option("--json", "FILE", args->json,
                 "Writes all figures as JSON. -: to standard output, no table.");
  command.manual(
      "One sign-in is the authorization page, its form posted, the code for tokens, introspection of the\n"
      "access token, and a refresh, with the cookies of a fresh browser. Accounts and client are those of\n"
      "  muhur demo --bench-accounts 1000\n"
      "The generator runs on one thread; its own CPU is in the report, since it shares the machine. A user\n"
      "that is answered 503 with Retry-After waits that long and is counted as refused. Profiles are in\n"
      "bench/login/profiles; docs/bench-login.md says what is measured and what bounds it.");
  command.run([args] { return measure(*args); });
}

}  // namespace muhur::cli

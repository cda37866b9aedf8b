// muhur bench passwords: what one core verifies, beside libxcrypt.

#include "bench/passwords.hpp"
#include "cli/bench_output.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {
namespace {

struct Args {
  std::int64_t cost = 10, rounds = 9;
  std::string json;
};

int measure(const Args& args) {
  if (args.cost < 4 || args.cost > 15 || args.rounds < 1 || args.rounds > 1000) {
    report({Code::invalid, "--cost takes a number from 4 to 15, --rounds one from 1 to 1000", ""});
    return kUsage;
  }
  bench::PasswordsOptions options{.cost = static_cast<int>(args.cost),
                                  .rounds = static_cast<std::size_t>(args.rounds)};
  const auto results = [&] {
    Progress bar("Measuring", options.rounds);
    options.progress = [&](std::size_t done) { bar.at(done); };
    return bench::run_passwords(options);
  }();
  if (!results) return report(results.error());
  return show_results(*results, args.json);
}

}  // namespace

void describe_bench_passwords(Command& bench) {
  auto args = std::make_shared<Args>();
  auto& command = bench.command("passwords", "Measures how many passwords one core verifies.");
  command.option("--cost", "N", args->cost, "bcrypt's cost. Default: 10.");
  command.option("--rounds", "N", args->rounds, "Rounds; medians are shown. Default: 9.");
  command.option("--json", "FILE", args->json, "Writes the results as JSON; - for standard output.");
  command.manual(
      "Each round runs libxcrypt's crypt_r and our core with one to four passwords at once, on one core, "
      "and\n"
      "checks that they agree.");
  command.run([args] { return measure(*args); });
}

}  // namespace muhur::cli

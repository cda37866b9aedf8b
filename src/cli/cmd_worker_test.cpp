// muhur worker test: each worker's health and rate.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "passwords/trial.hpp"
#include "passwords/worker_secret.hpp"

namespace muhur::cli {
namespace {

namespace asio = boost::asio;

struct Args {
  std::vector<std::string> urls;
  std::string secret_file, ca_file;
  std::int64_t seconds = 3;
  bool json = false;
};

void print_json(const std::vector<passwords::Trial>& trials) {
  boost::json::array all;
  for (const auto& trial : trials) {
    boost::json::object one{{"url", trial.url}, {"healthy", !trial.error}};
    if (trial.error) one["error"] = trial.error->text();
    if (!trial.error) {
      one["threads"] = trial.threads;
      one["round_trip_ms"] = trial.round_trip_ms;
      one["hashes_per_s"] = trial.hashes_per_s;
      one["p50_ms"] = trial.p50_ms;
      one["p95_ms"] = trial.p95_ms;
    }
    all.push_back(std::move(one));
  }
  std::printf("%s\n", boost::json::serialize(all).c_str());
}

void print_table(const std::vector<passwords::Trial>& trials) {
  std::vector<std::vector<std::string>> rows{
      {"WORKER", "HEALTH", "THREADS", "ROUND TRIP", "RATE", "P50", "P95"}};
  for (const auto& trial : trials) {
    if (trial.error) {
      rows.push_back({trial.url, trial.error->text()});
      continue;
    }
    rows.push_back({trial.url, "ok", std::to_string(trial.threads),
                    fmt::format("{:.1f} ms", trial.round_trip_ms),
                    fmt::format("{:.1f}/s", trial.hashes_per_s), fmt::format("{:.0f} ms", trial.p50_ms),
                    fmt::format("{:.0f} ms", trial.p95_ms)});
  }
  std::fputs(table(rows).c_str(), stdout);
}

int test(const Args& args) {
  const auto secret = passwords::read_worker_secret(args.secret_file);
  if (!secret) return report(secret.error());
  std::vector<passwords::Trial> trials;
  asio::io_context io(1);
  std::exception_ptr thrown;
  asio::co_spawn(
      io,
      [&]() -> net::Task<void> {
        for (const auto& url : args.urls) {
          passwords::TrialOptions options{.url = url, .ca_file = args.ca_file};
          options.time = std::chrono::seconds(std::clamp<std::int64_t>(args.seconds, 1, 600));
          trials.push_back(co_await passwords::try_worker(*secret, std::move(options)));
        }
      },
      [&](std::exception_ptr error) {
        thrown = error;
        io.stop();
      });
  io.run();
  if (thrown) std::rethrow_exception(thrown);
  if (args.json)
    print_json(trials);
  else
    print_table(trials);
  return std::ranges::any_of(trials, [](const auto& trial) { return trial.error.has_value(); }) ? kFailed
                                                                                                : kDone;
}

}  // namespace

void describe_worker_test(Command& worker) {
  auto args = std::make_shared<Args>();
  auto& command = worker.optional_command("test", "Tells each worker's health and rate.");
  command.positionals("URL", args->urls, "http://10.0.0.2:7080, https://worker.example.org …");
  command.option("--secret-file", "FILE", args->secret_file, "The shared secret.", true);
  command.option("--ca-file", "FILE", args->ca_file,
                 "Trusts only these authorities (PEM). Default: the system's.");
  command.option("--seconds", "N", args->seconds, "How long each is measured. Default: 3.");
  command.flag("--json", args->json, "Prints a list of objects.");
  command.manual(
      "RATE is bcrypt verifications of cost 10 a second while twice as many are asked for as are computed "
      "at\n"
      "once, P50 and P95 how long one takes meanwhile. Exits with 1 when a worker does not answer, or not "
      "as\n"
      "the holder of the secret.");
  command.run([args] { return test(*args); });
}

}  // namespace muhur::cli

// muhur bench: what it costs, measured. Storage: the seed's benchmark and more. Mail: in and out.
#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <cstdio>
#include <iostream>

#include "bench/mail.hpp"
#include "bench/storage.hpp"
#include "bench/storage_page.hpp"
#include "cli/bench_output.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {
namespace {

int wrong(const std::string& what) {
  report({Code::invalid, what, ""});
  return kUsage;
}

struct StorageArgs {
  std::string one, json, html, directory;
  std::int64_t rounds = 5;
  bool seed_only = false;
};

int storage_once(const StorageArgs& args, const std::filesystem::path& directory) {
  const auto figures = bench::run_storage_once(args.one, directory);
  if (!figures) return report(figures.error());
  std::cout << boost::json::serialize(*figures) << "\n";
  return kDone;
}

int storage(const StorageArgs& args) {
  if (args.rounds < 1 || args.rounds > 1000) return wrong("--rounds takes a number from 1 to 1000");
  const std::filesystem::path directory =
      args.directory.empty() ? bench::default_storage_directory() : std::filesystem::path(args.directory);
  if (!args.one.empty()) return storage_once(args, directory);
  bench::StorageOptions options{
      .directory = directory, .rounds = static_cast<std::size_t>(args.rounds), .extended = !args.seed_only};
  Result<bench::StorageResults> results = [&] {
    std::optional<Progress> bar;
    options.progress = [&](std::uint64_t done, std::uint64_t in_all) {
      if (!bar) bar.emplace("Measuring", in_all);
      bar->at(done);
    };
    return bench::run_storage(options);
  }();
  if (!results) return report(results.error());
  if (const int shown = show_results(*results, args.json); shown != kDone || args.html.empty()) return shown;
  const auto written = bench::write_storage_page(*results, args.html);
  return written ? kDone : report(written.error());
}

struct MailArgs {
  std::string imap, lmtp, user, name, json;
  PasswordSource password;
  std::int64_t clients = 10, seconds = 3, rounds = 3, idle = 500;
};

Result<bench::MailOptions> mail_options(const MailArgs& args) {
  bench::MailOptions options;
  options.clients = static_cast<std::size_t>(args.clients);
  options.seconds = static_cast<double>(args.seconds);
  options.rounds = static_cast<std::size_t>(args.rounds);
  options.idle_connections = static_cast<std::size_t>(args.idle);
  if (!args.name.empty()) options.name = args.name;
  if (args.imap.empty()) return options;
  MUHUR_TRY(options.imap, bench::parse_endpoint(args.imap));
  if (!args.lmtp.empty()) {
    MUHUR_TRY(options.lmtp, bench::parse_endpoint(args.lmtp));
  }
  options.user = args.user;
  MUHUR_TRY(const Secret password, read_password(args.password, "Password of " + args.user, false));
  options.password = password.text();
  return options;
}

int mail(const MailArgs& args) {
  const auto bounded = [](std::int64_t n) { return n >= 1 && n <= 100'000; };
  if (!bounded(args.clients) || !bounded(args.seconds) || !bounded(args.rounds) || !bounded(args.idle))
    return wrong("--clients, --seconds, --rounds and --idle take numbers from 1");
  if (args.imap.empty() != args.user.empty()) return wrong("--imap and --user belong together");
  auto options = mail_options(args);
  if (!options) return report(options.error());
  if (shows_progress())
    options->progress = [](std::string_view step) { fmt::print(stderr, "\r\033[K{}", step); };
  const auto results = bench::run_mail(*options);
  if (shows_progress()) fmt::print(stderr, "\r\033[K");
  if (!results) return report(results.error());
  return show_results(*results, args.json);
}

void describe_storage(Command& bench) {
  auto args = std::make_shared<StorageArgs>();
  auto& command = bench.command("storage", "The encrypted SQLite engine: the seed's benchmark, and more.");
  command.option("--json", "FILE", args->json,
                 "Writes all figures as JSON. -: to standard output, no tables.");
  command.option("--html", "FILE", args->html, "Writes one page with charts that needs nothing else.");
  command.option("--rounds", "N", args->rounds, "Rounds, whose medians count. Default: 5.");
  command.option("--dir", "DIR", args->directory,
                 "Where the databases go. Default: /dev/shm when it has room, else the temp directory.");
  command.flag("--seed-only", args->seed_only, "The seed's ten configurations only.");
  command.option("--one", "CONFIG", args->one,
                 "One configuration once, in this process: prints its figures as JSON.");
  command.manual(
      "Each round of each configuration is a process of its own. Figures on a memory file system compare\n"
      "programs; with --dir on a disk its fsync is in them too. `bench/storage/compare.sh` runs the same\n"
      "workload under Node for comparison; docs/bench-storage.md says what bounds each figure.");
  command.run([args] { return storage(*args); });
}

void describe_mail(Command& bench) {
  auto args = std::make_shared<MailArgs>();
  auto& command = bench.command("mail", "Mail in and out over IMAP and LMTP.");
  command.option("--json", "FILE", args->json,
                 "Writes all figures as JSON. -: to standard output, no table.");
  command.option("--clients", "N", args->clients, "Clients at once. Default: 10.");
  command.option("--seconds", "S", args->seconds, "Seconds of one round of one figure. Default: 3.");
  command.option("--rounds", "N", args->rounds, "Rounds, whose medians count. Default: 3.");
  command.option("--idle", "N", args->idle, "Connections in IDLE whose memory is measured. Default: 500.");
  command.option("--imap", "HOST:PORT", args->imap,
                 "Another server. Default: one of our own, started for this.");
  command.option("--lmtp", "HOST:PORT", args->lmtp, "Its LMTP.");
  command.option("--user", "NAME", args->user, "The user there.");
  command.option("--password-file", "FILE", args->password.file, "Its first line is that user's password.");
  command.option("--name", "NAME", args->name, "What the report calls the server.");
  command.run([args] { return mail(*args); });
}

}  // namespace

void describe_bench(Command& root) {
  auto& bench = root.command("bench", "Measures storage, mail and sign-ins on this machine.");
  describe_storage(bench);
  describe_mail(bench);
  describe_bench_passwords(bench);
  describe_bench_login(bench);
}

}  // namespace muhur::cli

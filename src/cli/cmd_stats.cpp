// muhur stats: figures of the databases.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"
#include "server/config_keys.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

struct Args {
  Where where;
  bool json = false;
};

std::uint64_t number(const json::object& object, const char* name) {
  return object.at(name).to_number<std::uint64_t>();
}

std::vector<std::string> row(const std::string& name, const json::object& figures) {
  const auto& checkpoint = figures.at("checkpoint").as_object();
  const auto& at = checkpoint.at("at");
  return {name,
          fmt::format("{:.1f}", figures.at("size_mb").to_number<double>()),
          std::to_string(number(figures, "page_count")),
          std::to_string(number(figures, "page_size")),
          fmt::format("{:.1f}", figures.at("fragmentation_percent").to_number<double>()),
          server::format_size(number(figures, "wal_bytes")),
          !at.is_string()
              ? "none yet"
              : std::string(at.as_string()) + (checkpoint.at("complete").as_bool() ? "" : " (part)"),
          std::to_string(number(figures.at("writer").as_object(), "commits")),
          std::to_string(number(figures.at("writer").as_object(), "busy_waits"))};
}

void print_slow(const json::object& database) {
  for (const auto& item : database.at("slow").as_array()) {
    const auto& slow = item.as_object();
    std::printf("\n%s: %.1f ms at worst, %llu times\n  %s\n",
                std::string(database.at("name").as_string()).c_str(), slow.at("worst_ms").to_number<double>(),
                static_cast<unsigned long long>(number(slow, "runs")),
                std::string(slow.at("sql").as_string()).c_str());
    for (const auto& step : slow.at("plan").as_array())
      std::printf("    %s\n", std::string(step.as_string()).c_str());
  }
}

int stats(const Args& args) {
  auto reply = ask(args.where, {{"command", "stats"}});
  if (!reply) return report(reply.error());
  if (args.json) {
    reply->erase("ok");
    std::printf("%s\n", json::serialize(*reply).c_str());
    return kDone;
  }
  const auto& all = reply->at("databases").as_array();
  std::vector<std::vector<std::string>> rows{
      {"DATABASE", "MB", "PAGES", "PAGE", "FREE %", "WAL", "CHECKPOINT", "COMMITS", "BUSY WAITS"}};
  for (const auto& one : all)
    rows.push_back(row(std::string(one.as_object().at("name").as_string()), one.as_object()));
  rows.push_back(row("total", reply->at("total").as_object()));
  std::printf("%s", table(rows).c_str());
  for (const auto& one : all) print_slow(one.as_object());
  return kDone;
}

}  // namespace

void describe_stats(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command = root.command("stats", "Shows figures of the open databases.");
  args->where.describe(command);
  command.flag("--json", args->json, "Prints one line of JSON.");
  command.manual(
      "Size, pages, free pages, write-ahead log, last checkpoint and writer of each database that is open, "
      "and\n"
      "their sum; then the slowest statements with SQLite's plan for them. Statements are texts of the "
      "program:\n"
      "no value that was stored or asked for is in them. Counts are since the database was opened.");
  command.run([args] { return stats(*args); });
}

}  // namespace muhur::cli

// muhur stats: figures of the databases, and of who hashes passwords.
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

// Who hashes passwords. Older servers say nothing of it.
void print_passwords(const json::object& reply) {
  const auto* passwords = reply.if_contains("passwords");
  if (!passwords || !passwords->is_object()) return;
  const auto& pool = passwords->get_object().at("pool").as_object();
  std::vector<std::vector<std::string>> rows{
      {"PASSWORDS", "HEALTH", "WAITING", "RUNNING", "DONE", "FAILED", "P50", "P95"}};
  rows.push_back({fmt::format("here, {} threads", number(pool, "threads")), "ok",
                  std::to_string(number(pool, "waiting")), std::to_string(number(pool, "running")),
                  std::to_string(number(pool, "done")), std::to_string(number(pool, "refused")), "", ""});
  for (const auto& item : passwords->get_object().at("workers").as_array()) {
    const auto& worker = item.as_object();
    const auto time = [&](const char* name) {
      return fmt::format("{:.0f} ms", worker.at(name).to_number<double>());
    };
    rows.push_back({std::string(worker.at("url").as_string()),
                    worker.at("healthy").as_bool() ? "ok" : "left out", "",
                    std::to_string(number(worker, "outstanding")), std::to_string(number(worker, "done")),
                    std::to_string(number(worker, "failed")), time("p50_ms"), time("p95_ms")});
  }
  std::printf("\n%s", table(rows).c_str());
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
  print_passwords(*reply);
  for (const auto& one : all) print_slow(one.as_object());
  return kDone;
}

}  // namespace

void describe_stats(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command = root.command("stats", "Shows figures of the open databases and of password hashing.");
  args->where.describe(command);
  command.flag("--json", args->json, "Prints one line of JSON.");
  command.manual(
      "Size, pages, free pages, write-ahead log, last checkpoint and writer of each database that is open, "
      "and\n"
      "their sum; then the slowest statements with SQLite's plan for them. Statements are texts of the "
      "program:\n"
      "no value that was stored or asked for is in them. Counts are since the database was opened. Of a "
      "running\n"
      "server also who hashes passwords: its own pool and each worker, FAILED being what was refused or "
      "lost.");
  command.run([args] { return stats(*args); });
}

}  // namespace muhur::cli

// muhur maintain: housekeeping now.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {
namespace {

struct Args {
  Where where;
  bool now = false, json = false;
};

std::string text_of(const boost::json::object& database) {
  const auto& vacuum = database.at("vacuum").as_object();
  const auto& checkpoint = database.at("checkpoint").as_object();
  std::string text = fmt::format("{} tables analyzed, {} pages given back",
                                 database.at("tables_analyzed").to_number<std::uint64_t>(),
                                 database.at("pages_reclaimed").to_number<std::uint64_t>());
  if (vacuum.at("done").as_bool())
    text +=
        fmt::format(", vacuumed from {} to {} bytes", vacuum.at("bytes_before").to_number<std::uint64_t>(),
                    vacuum.at("bytes_after").to_number<std::uint64_t>());
  else
    text += fmt::format(", not vacuumed ({})", std::string_view(vacuum.at("why_not").as_string()));
  if (!checkpoint.at("complete").as_bool()) text += ", WAL kept by a reader";
  return text;
}

int maintain(const Args& args) {
  const auto reply = ask(args.where, {{"command", "maintain"}, {"now", args.now}});
  if (!reply) return report(reply.error());
  bool done = true;
  std::vector<std::vector<std::string>> rows{{"DATABASE", "DONE"}};
  for (const auto& item : reply->at("databases").as_array()) {
    const auto& database = item.as_object();
    const auto* error = database.if_contains("error");
    done = done && !error;
    rows.push_back({std::string(database.at("name").as_string()),
                    error ? "failed: " + std::string(error->as_string()) : text_of(database)});
  }
  if (args.json) {
    auto shown = *reply;
    shown.erase("ok");
    std::printf("%s\n", boost::json::serialize(shown).c_str());
  } else {
    std::printf("%s", table(rows).c_str());
  }
  return done ? kDone : kFailed;
}

}  // namespace

void describe_maintain(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command = root.command("maintain", "Keeps house: statistics, free pages, write-ahead logs.");
  args->where.describe(command);
  command.flag("--now", args->now, "Gives every free page back, however long it takes.");
  command.flag("--json", args->json, "Prints one line of JSON.");
  command.manual(
      "Works on a running server and without one; a server does this by itself. For each open database:\n"
      "refreshes the planner's statistics, gives free pages back to the file system (256 of them, all with\n"
      "--now), rewrites the file when more than a quarter of it is free and twice its size is free on the\n"
      "disk, and empties the write-ahead log. A mailbox is looked after while it is open: nobody but its\n"
      "owner can open it.");
  command.run([args] { return maintain(*args); });
}

}  // namespace muhur::cli

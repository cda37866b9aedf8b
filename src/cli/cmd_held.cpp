// muhur held: list, release, discard.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"
#include "server/config_keys.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

struct Args {
  Where where;
  std::vector<std::string> ids;
  std::string id, user;
  bool all = false, json = false, yes = false;
};

Result<std::int64_t> id_of(const std::string& text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(Code::invalid, text + " is not the id of a message", "`muhur held list` shows them");
  return id;
}

int list(const Args& args) {
  const auto reply = ask(args.where, {{"command", "held.list"}});
  if (!reply) return report(reply.error());
  if (args.json) {
    std::printf("%s\n", json::serialize(reply->at("held")).c_str());
    return kDone;
  }
  std::vector<std::vector<std::string>> rows{{"ID", "FOR", "SIZE", "RECEIVED", "HELD SINCE", "REASON"}};
  for (const auto& item : reply->at("held").as_array()) {
    const auto& one = item.as_object();
    const auto text = [&](const char* name) { return std::string(one.at(name).as_string()); };
    rows.push_back({std::to_string(one.at("id").as_int64()), text("address"),
                    server::format_size(one.at("size").to_number<std::uint64_t>()), text("received"),
                    text("held"), text("reason")});
  }
  std::printf("%s", table(rows).c_str());
  return kDone;
}

int release(const Args& args) {
  const int said = !args.ids.empty() + !args.user.empty() + args.all;
  if (said != 1) return report({Code::invalid, "name ids, or --user ADDRESS, or --all", ""}), kUsage;
  json::object request{{"command", "held.release"}};
  if (args.all) request["all"] = true;
  if (!args.user.empty()) request["address"] = args.user;
  if (!args.ids.empty()) {
    json::array ids;
    for (const std::string& text : args.ids) {
      const auto id = id_of(text);
      if (!id) return report(id.error());
      ids.emplace_back(*id);
    }
    request["ids"] = std::move(ids);
  }
  auto reply = ask(args.where, std::move(request));
  if (!reply) return report(reply.error());
  reply->erase("ok");
  if (args.json)
    std::printf("%s\n", json::serialize(*reply).c_str());
  else
    std::printf("Released: %llu.\n",
                static_cast<unsigned long long>(reply->at("released").to_number<std::uint64_t>()));
  return kDone;
}

int discard(const Args& args) {
  const auto id = id_of(args.id);
  if (!id) return report(id.error());
  if (!args.yes && !confirmed("Discard the held message " + args.id + " for good?"))
    return report({Code::invalid, "nothing was discarded", at_terminal() ? "" : "say --yes"});
  const auto reply = ask(args.where, {{"command", "held.discard"}, {"id", *id}});
  if (!reply) return report(reply.error());
  std::printf("%s\n", args.json ? R"({"ok":true})" : ("Discarded the message " + args.id + ".").c_str());
  return kDone;
}

}  // namespace

void describe_held(Command& root) {
  auto args = std::make_shared<Args>();
  auto& held = root.command("held", "Mail that could not be moved to its mailbox: list, release, discard.");
  held.manual(
      "A message that waits for its owner and turns out to be damaged is put aside, so that the others do\n"
      "not wait for it. It stays until it is released, after a repair, or discarded. Works on a running\n"
      "server (through DATA/run/admin.sock) and without one.");

  stored_data_command(held, args->where, args->json, "list", "Lists what is held, for whom and why.")
      .run([args] { return list(*args); });

  auto& releasing =
      stored_data_command(held, args->where, args->json, "release", "Tries held messages again.");
  releasing.positionals("ID", args->ids, "The messages' ids.", false);
  releasing.option("--user", "ADDRESS", args->user, "All of that user.");
  releasing.flag("--all", args->all, "All of them.");
  releasing.manual(
      "Where the owner is signed in they are moved at once, else at the next sign-in. What still cannot be\n"
      "moved is held again.");
  releasing.run([args] { return release(*args); });

  auto& discarding =
      stored_data_command(held, args->where, args->json, "discard", "Deletes a held message, for good.");
  discarding.positional("ID", args->id, "The message's id.");
  discarding.flag("--yes", args->yes, "Does not ask.");
  discarding.run([args] { return discard(*args); });
}

}  // namespace muhur::cli

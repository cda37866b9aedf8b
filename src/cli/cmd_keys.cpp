// muhur keys: list, rotate, delete.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

struct Args {
  Where where;
  std::string kid, algorithm;
  bool now = false, json = false, yes = false;
};

int print_keys(const Args& args, const Result<json::object>& reply) {
  if (!reply) return report(reply.error());
  if (args.json) {
    std::printf("%s\n", json::serialize(reply->at("keys")).c_str());
    return kDone;
  }
  std::vector<std::vector<std::string>> rows{{"KEY", "ALGORITHM", "STATE", "CREATED", "SIGNS FROM"}};
  for (const auto& key : reply->at("keys").as_array()) {
    auto& row = rows.emplace_back();
    for (const auto* name : {"kid", "algorithm", "state", "created", "signs_from"})
      row.emplace_back(key.at(name).as_string());
  }
  std::printf("%s", table(rows).c_str());
  return kDone;
}

int list(const Args& args) { return print_keys(args, ask(args.where, {{"command", "keys.list"}})); }

int rotate(const Args& args) {
  return print_keys(
      args, ask(args.where, {{"command", "keys.rotate"}, {"algorithm", args.algorithm}, {"now", args.now}}));
}

int remove(const Args& args) {
  if (!args.yes && !confirmed("Delete the key " + args.kid + "? What it signed is believed no longer"))
    return report({Code::invalid, "nothing was deleted", at_terminal() ? "" : "say --yes"});
  const auto reply = ask(args.where, {{"command", "keys.delete"}, {"kid", args.kid}});
  if (!reply) return report(reply.error());
  std::printf("%s\n", args.json ? R"({"ok":true})" : ("Deleted the key " + args.kid + ".").c_str());
  return kDone;
}

}  // namespace

void describe_keys(Command& root) {
  auto args = std::make_shared<Args>();
  auto& keys = root.command("keys", "The keys that sign tokens: list, rotate, delete.");
  keys.manual(
      "They rotate by themselves (sign_in.key_rotation): the next one is published a day before it signs,\n"
      "so that everybody has it by then.");

  stored_data_command(keys, args->where, args->json, "list", "Lists the keys: next, signs, kept.")
      .run([args] { return list(*args); });

  auto& rotating = stored_data_command(keys, args->where, args->json, "rotate",
                                       "Publishes the next key, which signs a day later.");
  rotating.option("--alg", "ALG", args->algorithm, "ES256, EdDSA or RS256. Default: all of them.");
  rotating.flag("--now", args->now,
                "It signs at once. Whoever keeps the old list of keys may fail for an hour.");
  rotating.manual(
      "The old key stays in the list for 31 days, and what it signed stays good. After a theft of the data\n"
      "directory's key: rotate --now, then delete the old keys.");
  rotating.run([args] { return rotate(*args); });

  auto& deleting = stored_data_command(keys, args->where, args->json, "delete",
                                       "Takes a key out of the list: its signatures count no longer.");
  deleting.positional("KID", args->kid, "The key's id.");
  deleting.flag("--yes", args->yes, "Does not ask.");
  deleting.run([args] { return remove(*args); });
}

}  // namespace muhur::cli

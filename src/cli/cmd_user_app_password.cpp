// muhur user app-password: add, list, remove.
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
  std::string address, name, password_file, recovery_file;
  bool recovery = false, json = false;
};

int add(const Args& args) {
  const bool recovery = args.recovery || !args.recovery_file.empty();
  auto proof = recovery ? read_password({args.recovery_file}, "Recovery key of " + args.address, false)
                        : read_password({args.password_file}, "Password of " + args.address, false);
  if (!proof) return report(proof.error());
  const auto reply = ask(args.where, {{"command", "user.app-password.add"},
                                      {"address", args.address},
                                      {"name", args.name},
                                      {recovery ? "recovery_key" : "password", proof->text()}});
  if (!reply) return report(reply.error());
  const std::string made(reply->at("app_password").as_string());
  if (args.json)
    std::printf("%s\n", json::serialize(json::object{{"address", args.address},
                                                     {"id", reply->at("id")},
                                                     {"name", args.name},
                                                     {"app_password", made}})
                            .c_str());
  else
    std::printf(
        "  App password of %s for %s: %s\n\n"
        "This is the only time it is shown. It opens the mail by IMAP, and nothing else.\n",
        args.address.c_str(), args.name.c_str(), made.c_str());
  return kDone;
}

int list(const Args& args) {
  const auto reply = ask(args.where, {{"command", "user.app-password.list"}, {"address", args.address}});
  if (!reply) return report(reply.error());
  const auto& all = reply->at("app_passwords").as_array();
  if (args.json) {
    std::printf("%s\n", json::serialize(all).c_str());
    return kDone;
  }
  std::vector<std::vector<std::string>> rows{{"ID", "NAME", "CREATED", "LAST USED"}};
  for (const auto& one : all) {
    const auto& used = one.at("last_used");
    rows.push_back({std::to_string(one.at("id").as_int64()), std::string(one.at("name").as_string()),
                    std::string(one.at("created").as_string()),
                    used.is_null() ? "never" : std::string(used.as_string())});
  }
  std::printf("%s", table(rows).c_str());
  return kDone;
}

int remove(const Args& args) {
  const auto reply = ask(
      args.where, {{"command", "user.app-password.remove"}, {"address", args.address}, {"which", args.name}});
  if (!reply) return report(reply.error());
  if (args.json)
    std::printf("%s\n", json::serialize(
                            json::object{{"ok", true}, {"id", reply->at("id")}, {"name", reply->at("name")}})
                            .c_str());
  else
    std::printf("Removed the app password %s of %s.\n", reply->at("name").as_string().c_str(),
                args.address.c_str());
  return kDone;
}

Command& subcommand(Command& group, Args& args, const char* name, const char* description) {
  auto& command = stored_data_command(group, args.where, args.json, name, description);
  command.positional("ADDRESS", args.address, "The user's address.");
  return command;
}

}  // namespace

void describe_user_app_password(Command& user) {
  auto args = std::make_shared<Args>();
  auto& group =
      user.command("app-password", "Passwords of one mail client each, for IMAP alone: add, list, remove.");
  group.manual(
      "For phones and programs that cannot sign in on a page: each gets a password of its own, which can be\n"
      "taken back alone. It opens the mail, not the sign-in pages, and sets no passwords.");

  auto& adding = subcommand(group, *args, "add", "Makes an app password and prints it, once.");
  adding.positional("NAME", args->name, "What it is for, such as phone.");
  adding.flag("--recovery", args->recovery, "Proves by the recovery key instead of the password.");
  adding.option("--recovery-file", "FILE", args->recovery_file, "The recovery key: FILE's first line.");
  adding.option("--password-file", "FILE", args->password_file, "The password: FILE's first line.");
  adding.manual(
      "The mailbox's key is wrapped under it once more, so the password or the recovery key is needed: from\n"
      "a prompt, from the first line of a file, or from standard input. A user has 32 of them at most.\n\n"
      "Example:  muhur user app-password add alice@example.org phone");
  adding.run([args] { return add(*args); });

  subcommand(group, *args, "list", "Lists them: when each was made and last used (to the hour).")
      .manual("With --json: an array of {id, name, created, last_used (null: never)}.")
      .run([args] { return list(*args); });

  auto& removing = subcommand(group, *args, "remove", "Removes one: it signs in no more.");
  removing.positional("NAME", args->name, "Its name, or its id.");
  removing.manual(
      "Sessions that it opened before go on until they end. `muhur user disable` and then `enable` end all\n"
      "sessions of the user at once.");
  removing.run([args] { return remove(*args); });
}

}  // namespace muhur::cli

// muhur user: add, import, list, passwd, recovery-key, app-password, disable, enable, delete, quota.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/terminal.hpp"
#include "cli/user_admin.hpp"
#include "server/config_keys.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

struct Args {
  Where where;
  std::string address, name, quota, password_file, old_password_file, recovery_file;
  bool admin = false, json = false, recovery = false, yes = false;
};

Result<std::int64_t> quota_of(const std::string& text) {
  if (text.empty() || text == "none") return 0;
  MUHUR_TRY(const auto size, server::parse_size(text));
  return static_cast<std::int64_t>(size);
}

int finish(const Result<json::object>& reply, const Args& args, const std::string& said) {
  if (!reply) return report(reply.error());
  std::printf("%s\n", args.json ? R"({"ok":true})" : said.c_str());
  return kDone;
}

int add(const Args& args) {
  const auto quota = quota_of(args.quota);
  if (!quota) return report(quota.error());
  auto password = read_password({args.password_file}, "Password of " + args.address, true);
  if (!password) return report(password.error());
  const auto key = add_user(args.where, {args.address, args.name, args.admin, *quota}, *password);
  if (!key) return report(key.error());
  if (args.json)
    std::printf("%s\n",
                json::serialize(json::object{{"address", args.address}, {"recovery_key", *key}}).c_str());
  else
    print_recovery_key(args.address, *key);
  return kDone;
}

int list(const Args& args) {
  const auto reply = ask(args.where, {{"command", "user.list"}});
  if (!reply) return report(reply.error());
  if (args.json) {
    std::printf("%s\n", json::serialize(reply->at("users")).c_str());
    return kDone;
  }
  std::vector<std::vector<std::string>> rows{
      {"ADDRESS", "NAME", "ROLE", "STATE", "MAILBOX", "QUOTA", "CREATED"}};
  for (const auto& item : reply->at("users").as_array()) {
    const auto& user = item.as_object();
    const auto text = [&](const char* name) { return std::string(user.at(name).as_string()); };
    const auto quota = user.at("quota").as_int64();
    rows.push_back({text("address"), text("name"), user.at("admin").as_bool() ? "admin" : "user",
                    user.at("disabled").as_bool() ? "disabled" : "active", text("mailbox_state"),
                    quota == 0 ? "none" : server::format_size(static_cast<std::uint64_t>(quota)),
                    text("created")});
  }
  std::printf("%s", table(rows).c_str());
  return kDone;
}

int passwd(const Args& args) {
  const bool recovery = args.recovery || !args.recovery_file.empty();
  if (!at_terminal() &&
      (args.password_file.empty() || (recovery ? args.recovery_file : args.old_password_file).empty()))
    std::fprintf(stderr, "muhur: reading %s and then the new password from standard input\n",
                 recovery ? "the recovery key" : "the old password");
  auto old = recovery ? read_password({args.recovery_file}, "Recovery key of " + args.address, false)
                      : read_password({args.old_password_file}, "Old password of " + args.address, false);
  if (!old) return report(old.error());
  auto fresh = read_password({args.password_file}, "New password of " + args.address, true);
  if (!fresh) return report(fresh.error());
  json::object request{{"command", "user.passwd"}, {"address", args.address}, {"password", fresh->text()}};
  request[recovery ? "recovery_key" : "old_password"] = old->text();
  const auto reply = ask(args.where, std::move(request));
  if (!reply && reply.error().code == Code::denied) {
    Error error = reply.error();
    error.remedy =
        "A user's mail can be opened only with the password or the recovery key (--recovery). With neither, "
        "no administrator can set a password and keep the mail: `muhur user delete` and `muhur user add` "
        "start an empty mailbox";
    return report(error);
  }
  return finish(reply, args, "Password of " + args.address + " is changed.");
}

int recovery_key(const Args& args) {
  const bool recovery = args.recovery || !args.recovery_file.empty();
  auto proof = recovery ? read_password({args.recovery_file}, "Recovery key of " + args.address, false)
                        : read_password({args.password_file}, "Password of " + args.address, false);
  if (!proof) return report(proof.error());
  const auto reply = ask(args.where, {{"command", "user.recovery-key"},
                                      {"address", args.address},
                                      {recovery ? "recovery_key" : "password", proof->text()}});
  if (!reply) return report(reply.error());
  const std::string key(reply->at("recovery_key").as_string());
  if (args.json)
    std::printf("%s\n",
                json::serialize(json::object{{"address", args.address}, {"recovery_key", key}}).c_str());
  else
    print_recovery_key(key);
  return kDone;
}

int change(const Args& args, const char* command, const std::string& said) {
  return finish(ask(args.where, {{"command", command}, {"address", args.address}}), args, said);
}

int quota(const Args& args) {
  const auto size = quota_of(args.quota);
  if (!size) return report(size.error());
  return finish(ask(args.where, {{"command", "user.quota"}, {"address", args.address}, {"quota", *size}}),
                args,
                "Quota of " + args.address + ": " +
                    (*size == 0 ? "none" : server::format_size(static_cast<std::uint64_t>(*size))) + ".");
}

int remove(const Args& args) {
  if (!args.yes && !confirmed("Delete " + args.address + " with all its mail, for good?"))
    return report({Code::invalid, "nothing was deleted", at_terminal() ? "" : "say --yes"});
  return change(args, "user.delete", "Deleted " + args.address + " and its mailbox.");
}

Command& subcommand(Command& user, Args& args, const char* name, const char* description,
                    bool address = true) {
  auto& command = stored_data_command(user, args.where, args.json, name, description);
  if (address) command.positional("ADDRESS", args.address, "The user's address.");
  return command;
}

constexpr const char* kPasswords =
    "A password comes from a prompt, from the first line of a file, or from standard input; never from the\n"
    "command line, where every process could read it.\n\n";

}  // namespace

void describe_user(Command& root) {
  auto args = std::make_shared<Args>();
  auto& user = root.command("user",
                            "Users: add, import, list, passwd, recovery-key, app-password, disable, enable, "
                            "delete, quota.");
  user.manual("Works on a running server (through DATA/run/admin.sock) and without one.");

  auto& adding = subcommand(user, *args, "add", "Adds a user with a password and an empty mailbox.");
  adding.option("--name", "NAME", args->name, "The person's name, as shown.");
  adding.option("--quota", "SIZE", args->quota, "Limit of the mailbox, such as 2GiB. Default: none.");
  adding.flag("--admin", args->admin, "Makes an administrator.");
  adding.option("--password-file", "FILE", args->password_file, "The password: FILE's first line.");
  adding.manual(
      std::string(kPasswords) +
      "Prints the recovery key, once. It is the only way back in for a user who forgot the password.\n\n"
      "Example:  muhur user add alice@example.org --name 'Alice Ay' --quota 2GiB");
  adding.run([args] { return add(*args); });

  describe_user_import(user);

  auto& listing = subcommand(user, *args, "list", "Lists the users.", false);
  listing.manual(
      "With --json: an array of {address, name, admin, disabled, quota (bytes, 0: none), mailbox,\n"
      "mailbox_state (ready, at first sign-in, none), created}.");
  listing.run([args] { return list(*args); });

  auto& changing = subcommand(user, *args, "passwd", "Sets a new password.");
  changing.flag("--recovery", args->recovery, "Proves by the recovery key instead of the old password.");
  changing.option("--old-password-file", "FILE", args->old_password_file,
                  "The old password: FILE's first line.");
  changing.option("--recovery-file", "FILE", args->recovery_file, "The recovery key: FILE's first line.");
  changing.option("--password-file", "FILE", args->password_file, "The new password: FILE's first line.");
  changing.manual(
      std::string(kPasswords) +
      "The mailbox's key is wrapped under the password, so the old password or the recovery key is\n"
      "needed, for an administrator too. Only 32 bytes are wrapped anew: the mail stays as it is.\n"
      "From standard input: the old password (or recovery key) on the first line, the new on the next.");
  changing.run([args] { return passwd(*args); });

  auto& recovering =
      subcommand(user, *args, "recovery-key", "Makes a new recovery key in place of the old one.");
  recovering.flag("--recovery", args->recovery, "Proves by the old recovery key instead of the password.");
  recovering.option("--recovery-file", "FILE", args->recovery_file, "The old one: FILE's first line.");
  recovering.option("--password-file", "FILE", args->password_file, "The password: FILE's first line.");
  recovering.manual(std::string(kPasswords) +
                    "Prints it, once. For imported users, who have none yet, and for whoever lost it.");
  recovering.run([args] { return recovery_key(*args); });

  describe_user_app_password(user);

  subcommand(user, *args, "disable", "Lets a user sign in no more; mail still arrives.").run([args] {
    return change(*args, "user.disable", args->address + " is disabled.");
  });
  subcommand(user, *args, "enable", "Lets a disabled user sign in again.").run([args] {
    return change(*args, "user.enable", args->address + " is enabled.");
  });

  auto& deleting = subcommand(user, *args, "delete", "Deletes a user, the mailbox, and what waits for it.");
  deleting.flag("--yes", args->yes, "Does not ask.");
  deleting.run([args] { return remove(*args); });

  auto& limiting = subcommand(user, *args, "quota", "Sets the limit of a mailbox.");
  limiting.positional("SIZE", args->quota, "Such as 500MiB or 2GiB; `none` for no limit.");
  limiting.run([args] { return quota(*args); });
}

}  // namespace muhur::cli

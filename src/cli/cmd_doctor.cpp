// muhur doctor: whether the stored data is sound.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {
namespace {

struct Args {
  Where where;
  std::string user, password_file;
  bool json = false;
};

int doctor(const Args& args) {
  boost::json::object request{{"command", "doctor"}};
  if (!args.user.empty()) {
    const auto password = read_password({args.password_file}, "Password of " + args.user, false);
    if (!password) return report(password.error());
    request["users"] = boost::json::array{{{"address", args.user}, {"password", password->text()}}};
  }
  auto reply = ask(args.where, std::move(request));
  if (!reply) return report(reply.error());
  const bool sound = reply->at("sound").as_bool();
  if (args.json) {
    reply->erase("ok");
    std::printf("%s\n", boost::json::serialize(*reply).c_str());
    return sound ? kDone : kFailed;
  }
  std::vector<std::vector<std::string>> rows{{"CHECK", "RESULT"}};
  for (const auto& check : reply->at("checks").as_array())
    rows.push_back({std::string(check.at("name").as_string()), std::string(check.at("detail").as_string())});
  std::printf("%s", table(rows).c_str());
  return sound ? kDone : kFailed;
}

}  // namespace

void describe_doctor(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command = root.command("doctor", "Checks that the stored data is sound.");
  args->where.describe(command);
  command.option("--user", "ADDRESS", args->user, "Also checks this user's mailbox; needs the password.");
  command.option("--password-file", "FILE", args->password_file, "The user's password: FILE's first line.");
  command.flag("--json", args->json, "Prints one line of JSON.");
  command.manual(
      "Runs SQLite's integrity check over directory.db and, with --user, over the mailbox, where it also "
      "looks\n"
      "for UIDs given out twice. A mailbox can be checked only by who can open it. Exit code 1 when "
      "anything\n"
      "is wrong.");
  command.run([args] { return doctor(*args); });
}

}  // namespace muhur::cli

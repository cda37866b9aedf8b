// muhur doctor: whether the stored data is sound and the installation fit.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"
#include "server/admin_socket.hpp"
#include "server/doctor.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

struct Args {
  Where where;
  std::string user, password_file;
  bool json = false;
};

// Data that cannot be opened is the first finding, not the end of the examination.
Result<json::array> examine(const Args& args, const server::Config& config) {
  json::object request{{"command", "doctor"}};
  if (!args.user.empty()) {
    MUHUR_TRY(const auto password, read_password({args.password_file}, "Password of " + args.user, false));
    request["users"] = json::array{{{"address", args.user}, {"password", password.text()}}};
  }
  const bool serving = server::ask_server(config.data, {{"command", "ping"}}, {}).has_value();
  json::array checks = server::as_json(server::check_installation(config, serving));
  auto reply = ask(args.where, std::move(request));
  json::array inside = reply ? std::move(reply->at("checks").as_array())
                             : server::as_json({server::failure("data", reply.error())});
  checks.insert(checks.begin(), inside.begin(), inside.end());
  return checks;
}

void print(const json::array& checks) {
  std::vector<std::vector<std::string>> rows{{"VERDICT", "CHECK", "DETAIL"}};
  std::string remedies;
  for (const auto& item : checks) {
    const auto& check = item.as_object();
    const auto text = [&](const char* name) { return std::string(check.at(name).as_string()); };
    rows.push_back({text("verdict"), text("name"), text("detail")});
    if (text("verdict") != "ok" && !text("remedy").empty())
      remedies += text("name") + ": " + text("remedy") + "\n";
  }
  std::printf("%s%s%s", table(rows).c_str(), remedies.empty() ? "" : "\n", remedies.c_str());
}

int doctor(const Args& args) {
  const auto config = args.where.load();
  if (!config) return report(config.error());
  const auto checks = examine(args, *config);
  if (!checks) return report(checks.error());
  bool sound = true;
  for (const auto& check : *checks) sound = sound && check.as_object().at("ok").as_bool();
  if (args.json)
    std::printf("%s\n", json::serialize(json::object{{"checks", *checks}, {"sound", sound}}).c_str());
  else
    print(*checks);
  return sound ? kDone : kFailed;
}

}  // namespace

void describe_doctor(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command = root.command("doctor", "Checks that the data is sound and the installation fit.");
  args->where.describe(command);
  command.option("--user", "ADDRESS", args->user, "Also checks this user's mailbox; needs the password.");
  command.option("--password-file", "FILE", args->password_file, "The user's password: FILE's first line.");
  command.flag("--json", args->json, "Prints one line of JSON.");
  command.manual(
      "Works on a running server and without one. Looks at the integrity of directory.db and spool.db (and,\n"
      "with --user, of that mailbox, where it also looks for UIDs given out twice), room on the disk,\n"
      "write-ahead logs, long readers, slow statements, the last verified backup, the cipher against known\n"
      "answers, temp directory, permissions, certificate, ports, locked memory and clock. Each check is ok,\n"
      "warn (works, and will not for ever) or fail, with what to do. Exit code 1 when any fails.");
  command.run([args] { return doctor(*args); });
}

}  // namespace muhur::cli

// muhur deliver: one message from standard input to local users.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {
namespace {

struct Args {
  Where where;
  std::vector<std::string> recipients;
  std::string sender;
};

int deliver(const Args& args) {
  const auto config = args.where.load();
  if (!config) return report(config.error());
  const auto message = read_standard_input(config->max_message);
  if (!message) return report(message.error());
  boost::json::object request{{"command", "deliver"}, {"sender", args.sender}};
  request["recipients"] = boost::json::array(args.recipients.begin(), args.recipients.end());
  const auto reply = ask(args.where, std::move(request), *message);
  if (!reply) return report(reply.error());
  return kDone;
}

}  // namespace

void describe_deliver(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command = root.command("deliver", "Delivers a message from standard input to users of this server.");
  command.positionals("USER", args->recipients, "Addresses; user+tag reaches user.");
  args->where.describe(command);
  command.option("-f,--sender", "ADDRESS", args->sender,
                 "The envelope's sender. Default: the empty one, <>.");
  command.manual(
      "Works on a running server and without one. When it exits with 0 the message is durable, sealed in "
      "the\n"
      "spool or already in the mailbox. Nothing is printed.\n\n"
      "Example:  muhur deliver alice@example.org --sender bob@example.com < message.eml");
  command.run([args] { return deliver(*args); });
}

}  // namespace muhur::cli

// muhur serve: the server.
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/ready_line.hpp"
#include "cli/terminal.hpp"
#include "server/app.hpp"

namespace muhur::cli {
namespace {

struct Args {
  Where where;
  bool json = false;
};

int serve(const Args& args) {
  auto config = args.where.load();
  if (!config) return report(config.error());
  auto app = server::App::open(std::move(*config), [where = args.where] { return where.load(); });
  if (!app) return report(app.error());
  (*app)->start();
  if (args.json) print_line(ready_line((*app)->endpoints()));
  return (*app)->run();
}

}  // namespace

void describe_serve(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command =
      root.command("serve", "Serves IMAP, LMTP and, where configured, sign-in over HTTP until SIGTERM.");
  args->where.describe(command);
  command.flag("--json", args->json, "Prints one line of JSON when ready: the endpoints.");
  command.manual(
      "SIGTERM or SIGINT: /readyz says 503, all goes on for server.drain_notice, then accepts no more, says\n"
      "goodbye to every session, waits server.drain_timeout for them, closes the data, ends with 0.\n"
      "SIGHUP: reads the certificate and the configuration again; the log names settings that need a "
      "restart.\n"
      "`muhur config check` tells beforehand whether they can be read. Speaks systemd's notify protocol "
      "(Type=notify).\n"
      "Every setting of the file can be given as an environment variable, MUHUR_SECTION_KEY\n"
      "(`muhur config keys` lists all).");
  command.run([args] { return serve(*args); });
}

}  // namespace muhur::cli

// muhur init: makes a data directory.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/mail_system.hpp"
#include "cli/terminal.hpp"
#include "cli/user_admin.hpp"
#include "server/data_directory.hpp"

namespace muhur::cli {
namespace {

struct Args {
  std::string directory, domain, host_name, admin, password_file;
  bool json = false;
};

int init(const Args& args) {
  server::NewDataDirectory wanted{
      .directory = args.directory, .domain = args.domain, .host_name = args.host_name, .settings = {}};
  // The password first: a slip of the fingers should not leave half a set-up behind.
  Secret password;
  if (!args.admin.empty()) {
    auto read = read_password({args.password_file}, "Password of " + args.admin, true);
    if (!read) return report(read.error());
    password = std::move(*read);
  }
  const auto config = server::create_data_directory(wanted);
  if (!config) return report(config.error());
  std::string recovery_key;
  if (!args.admin.empty()) {
    Where where;
    where.config = config->string();
    const auto key =
        add_user(where, {.address = args.admin, .name = {}, .admin = true, .quota = 0}, password);
    if (!key) return report(key.error());
    recovery_key = *key;
  }
  if (args.json) {
    boost::json::object out{{"config", config->string()}, {"domain", args.domain}};
    if (!recovery_key.empty()) out["recovery_key"] = recovery_key;
    std::printf("%s\n", boost::json::serialize(out).c_str());
    return kDone;
  }
  std::printf("Made %s for %s.\n", args.directory.c_str(), args.domain.c_str());
  if (!recovery_key.empty())
    print_recovery_key(args.admin, recovery_key);
  else
    std::printf("Add a user:  muhur user add NAME@%s --config %s\n", args.domain.c_str(), config->c_str());
  std::printf("Serve it:    muhur serve --config %s\n", config->c_str());
  std::printf("Keep a copy of server.key on another disk: without it nothing here can be opened.\n");
  return kDone;
}

}  // namespace

void describe_init(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command = root.command("init", "Makes a data directory with keys, certificate and configuration.");
  command.positional("DIR", args->directory, "The directory to make. Its parent has to exist.");
  command.option("--domain", "DOMAIN", args->domain, "The mail domain, the part after the @.", true);
  command.option("--host-name", "NAME", args->host_name,
                 "The server's own name, as clients will write it; goes into the certificate.");
  command.option("--admin", "ADDRESS", args->admin, "Also adds an administrator; asks for the password.");
  command.option("--password-file", "FILE", args->password_file,
                 "The administrator's password: FILE's first line.");
  command.flag("--json", args->json, "Prints one line of JSON.");
  command.manual(
      "Makes DIR with:\n"
      "  muhur.toml       the configuration, every key with its meaning\n"
      "  server.key       32 random bytes, mode 0600, that open the server's own databases\n"
      "  directory.db     domains, users and their wrapped keys, encrypted\n"
      "  tls/             a self-signed certificate, until you put a real one there\n"
      "An existing data directory is never written over.\n\n"
      "Example:  muhur init /var/lib/muhur --domain example.org --admin alice@example.org");
  command.run([args] { return init(*args); });
}

}  // namespace muhur::cli

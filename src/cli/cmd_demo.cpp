// muhur demo: a server with users and mail in it, needing nothing configured.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <cstdio>

#include "base/log.hpp"
#include "cli/command.hpp"
#include "cli/demo_bench.hpp"
#include "cli/demo_clients.hpp"
#include "cli/demo_data.hpp"
#include "cli/ready_line.hpp"
#include "cli/terminal.hpp"

namespace muhur::cli {
namespace {

struct Args {
  std::string data = "muhur-demo";
  std::int64_t ports = 10143;
  std::int64_t bench_accounts = 0;
  std::int64_t bench_cost = 10;
  bool json = false;
};

std::string http_url(server::App& app) {
  return app.provider() ? app.provider()->options().issuer : std::string();
}

void print_json(const Args& args, server::App& app, const DemoUsers& people,
                const boost::json::object& clients) {
  auto line = ready_line(app.endpoints());
  line["http"] = http_url(app);
  line["clients"] = clients;
  if (args.bench_accounts > 0)
    line["bench_accounts"] = describe_bench_accounts(args.bench_accounts, args.bench_cost);
  const auto shown = [](const DemoUser& user) {
    return boost::json::object{{"address", user.address}, {"password", user.password}};
  };
  boost::json::array users;
  for (const auto& user : people.users) users.push_back(shown(user));
  line["users"] = std::move(users);
  line["admin"] = shown(people.admin);
  print_line(line);
}

void print_text(const Args& args, server::App& app, const DemoUsers& people,
                const boost::json::object& clients) {
  std::uint16_t imap = 0, imaps = 0, lmtp = 0;
  for (const auto& endpoint : app.endpoints()) {
    if (endpoint.name == "imap") imap = endpoint.port;
    if (endpoint.name == "imaps") imaps = endpoint.port;
    if (endpoint.name == "lmtp") lmtp = endpoint.port;
  }
  std::vector<std::vector<std::string>> rows{{"  ACCOUNT", "PASSWORD"}};
  for (const auto& user : people.users) rows.push_back({"  " + user.address, user.password});
  rows.push_back({"  " + people.admin.address, people.admin.password});
  const auto& alice = people.users.front();
  std::string secret;
  if (const auto* one = clients.if_contains("confidential"); one && one->is_object())
    if (const auto* text = one->get_object().if_contains("client_secret"); text && text->is_string())
      secret = text->get_string();
  const std::string text = fmt::format(
      "\nMuhur serves a demonstration from {data}\n\n"
      "{accounts}\n"
      "  IMAP   127.0.0.1:{imap} (STARTTLS)   127.0.0.1:{imaps} (TLS)\n"
      "  LMTP   127.0.0.1:{lmtp}\n"
      "  HTTP   {http}\n\n"
      "Sign in with a browser: {http}/account/sessions\n"
      "OpenID Connect: {http}/.well-known/openid-configuration\n"
      "  clients `demo` (public) and `confidential` (secret {secret}),\n"
      "  both with the redirect URI http://127.0.0.1/callback at any port\n\n"
      "Thunderbird: add a mail account, configure manually: IMAP, host 127.0.0.1, port {imaps}, SSL/TLS,\n"
      "  normal password, user {alice}; accept the self-signed certificate.\n"
      "curl:   curl -k --user '{alice}:{password}' 'imaps://127.0.0.1:{imaps}/INBOX;UID=1'\n"
      "mbsync: Host 127.0.0.1, Port {imap}, User {alice}, SSLType None, AuthMechs PLAIN\n"
      "Send it mail:\n"
      "  swaks --protocol LMTP --server 127.0.0.1 --port {lmtp} --to {alice}\n\n"
      "The passwords are kept in {data}/demo-credentials.json for the next start; a real server\n"
      "keeps none. Stop with Ctrl-C.\n",
      fmt::arg("data", app.config().data.string()), fmt::arg("accounts", table(rows)), fmt::arg("imap", imap),
      fmt::arg("imaps", imaps), fmt::arg("lmtp", lmtp), fmt::arg("alice", alice.address),
      fmt::arg("password", alice.password), fmt::arg("http", http_url(app)), fmt::arg("secret", secret));
  std::fputs(text.c_str(), stdout);
  if (args.bench_accounts > 0)
    fmt::print(
        "\nFor load: {} accounts bench0001@example.org …, the password of benchNNNN is bench-password-NNNN;\n"
        "bcrypt cost {}. Their records are not upgraded at sign-in, and no guesses are counted by network:\n"
        "never so on a real server.\n",
        args.bench_accounts, args.bench_cost);
  std::fflush(stdout);
}

int demo(const Args& args) {
  if (args.ports < 0 || args.ports > 65'000 || (args.ports > 0 && args.ports < 1024))
    return report({Code::invalid, "--ports takes 0 or a number from 1024 to 65000", ""}), kUsage;
  if (args.bench_accounts < 0 || args.bench_accounts > 100'000 || args.bench_cost < 4 || args.bench_cost > 16)
    return report({Code::invalid, "--bench-accounts takes 0 to 100000, --bench-password-cost 4 to 16", ""}),
           kUsage;
  const std::filesystem::path data = args.data;
  log::set_level("warn");
  if (const auto made = prepare_demo_directory(data); !made) return report(made.error());
  auto environment = server::process_environment();
  auto config = server::load_config(data / "muhur.toml", environment);
  if (!config) return report(config.error());
  const auto at = [&](int offset) {
    return std::vector<std::string>{fmt::format("127.0.0.1:{}", args.ports == 0 ? 0 : args.ports + offset)};
  };
  config->imap_listen = at(0);
  config->imap_listen_tls = at(1);
  config->lmtp_listen = at(2);
  config->http_listen = at(3);
  if (!config->set_by.contains("log.level")) config->log_level = "warn";
  if (args.bench_accounts > 0) {
    config->upgrade_passwords = false;
    config->lockout.count_networks = false;
  }
  auto app = server::App::open(std::move(*config));
  if (!app) {
    Error error = app.error();
    if (error.what.find("in use") != std::string::npos)
      error.remedy = "say --ports BASE, or --ports 0 for any free ports";
    return report(error);
  }
  const auto people = prepare_demo_mail(**app);
  if (!people) return report(people.error());
  const auto clients = prepare_demo_clients(**app);
  if (!clients) return report(clients.error());
  if (const auto made = prepare_bench_accounts(**app, args.bench_accounts, args.bench_cost); !made)
    return report(made.error());
  (*app)->start();
  args.json ? print_json(args, **app, *people, *clients) : print_text(args, **app, *people, *clients);
  return (*app)->run();
}

}  // namespace

void describe_demo(Command& root) {
  auto args = std::make_shared<Args>();
  auto& command = root.command("demo", "Serves a demonstration on loopback, with users and sample mail.");
  command.option("--data", "DIR", args->data,
                 "The data directory, made when it is not there. Default: ./muhur-demo.");
  command.option(
      "--ports", "BASE", args->ports,
      "IMAP listens at BASE, IMAP with TLS at BASE+1, LMTP at BASE+2, HTTP at BASE+3. 0: any free ports. "
      "Default: 10143.");
  command.option("--bench-accounts", "N", args->bench_accounts,
                 "Accounts for a load test, made when they are not there; bcrypt, never upgraded.");
  command.option("--bench-password-cost", "COST", args->bench_cost, "Of their bcrypt. Default: 10.");
  command.flag("--json", args->json, "Prints one line of JSON when ready, and nothing else.");
  command.manual(
      "Needs nothing configured. Makes the domain example.org with the users alice, bob and admin, a\n"
      "self-signed certificate, and a dozen messages: nested and signed ones, attachments, an invitation,\n"
      "Turkish, Korean, Chinese, emoji. Serves until Ctrl-C (SIGINT) or SIGTERM.\n\n"
      "The generated passwords are kept in DIR/demo-credentials.json (mode 0600), so that the next start\n"
      "prints the same ones. That is a convenience of the demonstration: a real server keeps no password.\n\n"
      "The line of --json:\n"
      "  {\"ready\":true,\"imap\":{\"host\",\"port\"},\"imaps\":{…},\"lmtp\":{…},\n"
      "   \"http\":\"http://127.0.0.1:10146\",\"clients\":{\"demo\":{\"client_id\"},\n"
      "   \"confidential\":{\"client_id\",\"client_secret\"},\"bench\":{\"client_id\"}},\n"
      "   \"users\":[{\"address\",\"password\"}],\"admin\":{\"address\",\"password\"}}\n"
      "Later versions add keys and rename none.");
  command.run([args] { return demo(*args); });
}

}  // namespace muhur::cli

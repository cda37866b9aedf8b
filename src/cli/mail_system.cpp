#include "cli/mail_system.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>

#include "base/log.hpp"
#include "mail/post_office.hpp"
#include "server/admin_socket.hpp"
#include "server/data_directory.hpp"
#include "server/housekeeping.hpp"
#include "server/operations.hpp"

namespace muhur::cli {
namespace {

namespace json = boost::json;

}  // namespace

// The mail system in this process. Destroyed from the last to the first.
struct MailSystem::Here {
  boost::asio::io_context io;
  net::Pools pools{net::Pool("storage", 2), net::Pool("passwords", 1), net::Pool("heavy", 1)};
  std::unique_ptr<mail::PostOffice> office;

  static Result<std::unique_ptr<Here>> open(const server::Config& config) {
    if (!std::filesystem::exists(config.data))
      return fail(Code::not_found, "there is no data directory " + config.data.string(),
                  "make one with `muhur init DIR --domain D`, or name yours with --config or --data");
    MUHUR_CHECK(server::prepare_directories(config.data));
    server::use_temp_directory(config.data);
    harden_process();
    auto here = std::make_unique<Here>();
    mail::PostOfficeOptions options;
    options.data = config.data;
    options.server_key = config.server_key;
    options.pools = &here->pools;
    options.argon2 = config.argon2;
    options.max_message = config.max_message;
    server::keep_audit_for(config.audit_kept);
    MUHUR_TRY(here->office, server::open_post_office(std::move(options)));
    return here;
  }

  json::object run(json::object request, std::string_view body) {
    json::object reply;
    auto message = body.empty() ? nullptr : std::make_shared<const std::string>(body);
    boost::asio::co_spawn(io, server::run_operation(*office, std::move(request), std::move(message)),
                          [&](std::exception_ptr error, json::object got) {
                            if (error)
                              reply = server::error_reply({Code::internal, "the command broke down", ""});
                            else
                              reply = std::move(got);
                          });
    io.restart();
    io.run();
    return reply;
  }
};

void Where::describe(Command& command) {
  command.option("--config", "FILE", config,
                 "The configuration file. Default: $MUHUR_CONFIG, else ./muhur.toml, "
                 "else /etc/muhur/muhur.toml.");
  command.option("--data", "DIR", data,
                 "A data directory instead of a configuration; its muhur.toml is read.");
}

Command& stored_data_command(Command& parent, Where& where, bool& json, const char* name,
                             const char* description) {
  auto& command = parent.command(name, description);
  where.describe(command);
  command.flag("--json", json, "Prints JSON instead of text.");
  return command;
}

Result<server::Config> Where::load() const {
  const auto environment = server::process_environment();
  const auto read = [&](const std::filesystem::path& file) { return server::load_config(file, environment); };
  if (!config.empty()) return read(config);
  if (!data.empty()) {
    const auto file = std::filesystem::path(data) / "muhur.toml";
    return std::filesystem::exists(file) ? read(file) : server::default_config(data, environment);
  }
  if (const char* named = std::getenv("MUHUR_CONFIG"); named && *named) return read(named);
  for (const char* usual : {"muhur.toml", "/etc/muhur/muhur.toml"})
    if (std::filesystem::exists(usual)) return read(usual);
  return fail(Code::not_found, "no configuration found",
              "name it with --config FILE, or make one with `muhur init DIR --domain D`");
}

MailSystem::MailSystem(server::Config config) : config_(std::move(config)) {}
MailSystem::MailSystem(MailSystem&&) noexcept = default;
MailSystem::~MailSystem() = default;

Result<MailSystem> MailSystem::find(const Where& where) {
  MUHUR_TRY(auto config, where.load());
  log::set_level(config.log_level == "debug" || config.log_level == "trace" ? config.log_level : "warn");
  return MailSystem(std::move(config));
}

Result<json::object> MailSystem::ask(json::object request, std::string_view body) {
  Result<json::object> reply = fail(Code::not_found, "");
  if (!here_) reply = server::ask_server(config_.data, request, body);
  if (!reply && reply.error().code == Code::not_found) {
    if (!here_) {
      MUHUR_TRY(here_, Here::open(config_));
    }
    reply = here_->run(std::move(request), body);
  } else {
    server::wipe(request);
  }
  if (!reply) return reply;
  const auto* ok = reply->if_contains("ok");
  if (!ok || !ok->is_bool() || !ok->get_bool()) return std::unexpected(server::error_of_reply(*reply));
  return reply;
}

Result<json::object> ask(const Where& where, json::object request, std::string_view body) {
  MUHUR_TRY(MailSystem system, MailSystem::find(where));
  return system.ask(std::move(request), body);
}

}  // namespace muhur::cli

#pragma once
// How a command reaches the mail system: through the running server's admin socket, or, when none runs, by
// opening the data directory itself. Both run server/operations.

#include <boost/json/object.hpp>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "server/config.hpp"

namespace muhur::cli {

// --config and --data, which every command about stored data has.
struct Where {
  std::string config;
  std::string data;
  void describe(Command& command);
  // --config FILE; --data DIR (its muhur.toml, if any); $MUHUR_CONFIG; ./muhur.toml; /etc/muhur/muhur.toml.
  Result<server::Config> load() const;
};

// A command of `parent` about stored data, with --config, --data and --json.
Command& stored_data_command(Command& parent, Where& where, bool& json, const char* name,
                             const char* description);

// Asks again and again: the data directory, if it has to be opened, is opened once.
class MailSystem {
 public:
  static Result<MailSystem> find(const Where& where);
  MailSystem(MailSystem&&) noexcept;
  ~MailSystem();
  // The reply of a request that went well; its error otherwise.
  Result<boost::json::object> ask(boost::json::object request, std::string_view body = {});

 private:
  struct Here;
  explicit MailSystem(server::Config config);
  server::Config config_;
  std::unique_ptr<Here> here_;  // once no server was found
};

// The same, once.
Result<boost::json::object> ask(const Where& where, boost::json::object request, std::string_view body = {});

}  // namespace muhur::cli

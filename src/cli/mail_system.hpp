#pragma once
// How a command reaches the mail system: through the running server's admin socket, or, when none runs, by
// opening the data directory itself. Both run server/operations.

#include <boost/json/object.hpp>
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

// The reply of a request that went well; its error otherwise.
Result<boost::json::object> ask(const Where& where, boost::json::object request, std::string_view body = {});

}  // namespace muhur::cli

#pragma once
// The relying parties of a demonstration. Their secrets are kept in DATA/demo-clients.json, mode 0600, so
// that a second start prints the same ones. Only a demonstration may do that.

#include <boost/json/object.hpp>

#include "server/app.hpp"

namespace muhur::cli {

// {"demo":{"client_id"},"confidential":{"client_id","client_secret"},"bench":{"client_id"}}, each with its
// "redirect_uri" (any port) and "token_endpoint_auth_method". Made when they are not there.
Result<boost::json::object> prepare_demo_clients(server::App& app);

}  // namespace muhur::cli

#pragma once
// A client's policy as the JSON that is stored (and shown to administrators). Private to oidc/ and the
// commands that edit clients.

#include <boost/json/object.hpp>

#include "oidc/clients.hpp"

namespace muhur::oidc {

boost::json::object document_of(const Client& client);
// Members that are absent keep the value that `base` has; unknown ones and wrong kinds are invalid by name.
// Does not judge the values: check_client does.
Result<Client> client_of(const boost::json::object& document, Client base = {});

}  // namespace muhur::oidc

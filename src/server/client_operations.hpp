#pragma once
// The operations on clients (server/operations.hpp), {"command":"client.…"}:
//   client.add            {"client":{…},"template":"grafana","url":"https://…","issuer":"https://…",
//                          "usual_issuer":"https://…"}
//                         -> {"client":{…},"secret":"…","instructions":"…"}
//   client.change         {"id":"…","client":{…}}: the members given, the rest stays
//   client.list           -> {"clients":[{…}]}
//   client.show           {"id":"…"} -> {"client":{…}}
//   client.rotate-secret  {"id":"…"} -> {"secret":"…"}
//   client.delete         {"id":"…"}
//   client.initial-token  {"lifetime_s":86400,"uses":1} -> {"token":"…"}
// A client's members are those of oidc/client_document.hpp. Secrets are in the reply once and never again.

#include <boost/json/object.hpp>

#include "oidc/clients.hpp"

namespace muhur::server {

// `clients`: those of the provider that runs, so that it sees changes at once; null: none runs. Blocks.
Result<boost::json::object> run_client_operation(accounts::Directory& directory, oidc::Clients* clients,
                                                 const boost::json::object& request);

}  // namespace muhur::server

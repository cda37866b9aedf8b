#pragma once
// The operations on the keys that sign tokens (server/operations.hpp), {"command":"keys.…"}:
//   keys.list    -> {"keys":[{"kid","algorithm","state":"next"|"signs"|"kept","created","signs_from"}]}
//   keys.rotate  {"algorithm":"ES256","now":false}: without an algorithm all of them. -> as keys.list
//   keys.delete  {"kid":"…"}

#include <boost/json/object.hpp>

#include "oidc/signing_keys.hpp"

namespace muhur::server {

// `keys`: those of the provider that runs, so that it sees changes at once; null: none runs. Blocks.
Result<boost::json::object> run_key_operation(accounts::Directory& directory, oidc::SigningKeys* keys,
                                              const boost::json::object& request);

}  // namespace muhur::server

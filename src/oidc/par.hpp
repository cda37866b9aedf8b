#pragma once
// Pushed authorization requests (RFC 9126), as rows: used once. Private to oidc/.

#include <optional>

#include "oidc/store.hpp"

namespace muhur::oidc {

inline constexpr std::string_view kPushedPrefix = "urn:ietf:params:oauth:request_uri:";

// `form`: the parameters, without the client's credentials.
Result<void> insert_pushed(vault::Connection& c, std::string_view secret, std::string_view client_id,
                           std::string_view form, std::int64_t ends_s);
// The form; nullopt: unknown, used, over, or another client's (whose stays as it is).
Result<std::optional<std::string>> take_pushed(vault::Connection& c, std::string_view secret,
                                               std::string_view client_id, std::int64_t now_s);

}  // namespace muhur::oidc

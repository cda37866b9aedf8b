#pragma once
// Pushed authorization requests (RFC 9126), as rows. One is used up by the code that it leads to, not by being
// looked at: a page may be loaded twice (FAPI 2.0 Security Profile §5.3.2.2 note 3). Private to oidc/.

#include <optional>

#include "oidc/store.hpp"

namespace muhur::oidc {

inline constexpr std::string_view kPushedPrefix = "urn:ietf:params:oauth:request_uri:";

// `form`: the parameters, without the client's credentials.
Result<void> insert_pushed(vault::Connection& c, std::string_view secret, std::string_view client_id,
                           std::string_view form, std::int64_t ends_s);
// The form; nullopt: unknown, used, over, or another client's (whose stays as it is).
Result<std::optional<std::string>> find_pushed(vault::Connection& c, std::string_view secret,
                                               std::string_view client_id, std::int64_t now_s);
// false: it was used before. `ends_s`: when no page can be left that began with it.
Result<bool> use_pushed(vault::Connection& c, std::string_view secret, std::int64_t ends_s);

}  // namespace muhur::oidc

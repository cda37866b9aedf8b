#pragma once
// Whether what was begun once still stands: one rule for sessions, codes, tokens and device codes, however
// long ago and by whichever grant. Private to oidc/.

#include <optional>

#include "accounts/users.hpp"
#include "oidc/clients.hpp"
#include "oidc/grants.hpp"

namespace muhur::oidc {

// nullopt: gone, disabled, or with another password than in `epoch` (accounts::User::epoch).
Result<std::optional<accounts::User>> standing_user(accounts::Users& users, accounts::UserId id,
                                                    std::int64_t epoch);
// Whether the grant was made for this very client, and not for an earlier one of its name.
bool is_made_for(const Grant& grant, const Client& client);
// Client::groups: whether somebody of these groups may use it.
bool is_open_to(const Client& client, const std::vector<std::string>& groups);

}  // namespace muhur::oidc

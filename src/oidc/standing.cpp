#include "oidc/standing.hpp"

#include <algorithm>

#include "oidc/scope.hpp"

namespace muhur::oidc {

Result<std::optional<accounts::User>> standing_user(accounts::Users& users, accounts::UserId id,
                                                    std::int64_t epoch) {
  auto user = users.by_id(id);
  if (!user && user.error().code == Code::not_found) return std::optional<accounts::User>();
  if (!user) return std::unexpected(std::move(user).error());
  if (user->disabled || user->epoch != epoch) return std::optional<accounts::User>();
  return std::optional(std::move(*user));
}

bool is_made_for(const Grant& grant, const Client& client) {
  // Grants from before this was noted have a 0.
  return grant.client_id == client.id && (grant.client_ms == 0 || grant.client_ms == client.created_ms);
}

bool is_open_to(const Client& client, const std::vector<std::string>& groups) {
  return client.groups.empty() ||
         std::ranges::any_of(client.groups, [&](const auto& group) { return has_word(groups, group); });
}

}  // namespace muhur::oidc

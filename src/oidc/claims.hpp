#pragma once
// What clients get to know of users: subjects, and claims by scope or by name (OpenID Connect Core §5).

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "accounts/users.hpp"
#include "base/secret.hpp"

namespace muhur::oidc {

// `sub`: the same for all clients, says nothing about the user, never used twice (user ids are not). A keyed
// hash of the id; the key is a random one of directory.db's, so it outlives a change of server.key.
class Subjects {
 public:
  static Result<Subjects> open(accounts::Directory& directory);
  std::string of(accounts::UserId user) const;

 private:
  explicit Subjects(Secret key) : key_(std::move(key)) {}
  Secret key_;
};

std::vector<std::string> groups_of(const accounts::User& user);

// Adds to `out` what the scopes give.
void add_scope_claims(boost::json::object& out, const accounts::User& user, std::string_view scope);
// Adds what `part` ("id_token", "userinfo") of the claims parameter names and the scopes cover.
void add_named_claims(boost::json::object& out, const accounts::User& user, std::string_view scope,
                      std::string_view claims, std::string_view part);

}  // namespace muhur::oidc

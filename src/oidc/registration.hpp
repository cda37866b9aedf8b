#pragma once
// Clients that register themselves (RFC 7591) and look after their registration (RFC 7592). Metadata to
// policy and back are pure functions; Registration keeps the tokens, as hashes.

#include <boost/json/object.hpp>
#include <expected>
#include <string>
#include <string_view>

#include "oidc/clients.hpp"
#include "oidc/error.hpp"

namespace muhur::oidc {

// The client that the metadata asks for, under `id`. Members that are not known are passed over (RFC 7591
// §2); those that would change what this server is asked to do and that it does not do are refused:
// invalid_client_metadata, or invalid_redirect_uri. Such a client is never first-party, may not look at
// others' tokens and may not ask for mail: only an administrator gives that.
std::expected<Client, OAuthError> client_from_metadata(const boost::json::object& metadata, std::string id);
boost::json::object metadata_of(const Client& client);

class Registration {
 public:
  using Answer = std::expected<boost::json::object, OAuthError>;

  Registration(accounts::Directory& directory, Clients& clients, std::string issuer)
      : directory_(directory), clients_(clients), issuer_(std::move(issuer)) {}

  // Lets `uses` clients register until then. Shown once.
  static Result<std::string> make_initial_token(accounts::Directory& directory, std::int64_t lifetime_s,
                                                std::int64_t uses);

  // All block. invalid_token (401) with one same text for an unknown, expired, used up or another client's
  // token. The use of an initial token and the client are one transaction.
  Answer add(std::string_view bearer, const boost::json::object& metadata);
  Answer read(std::string_view bearer, std::string_view id);
  Answer update(std::string_view bearer, std::string_view id, const boost::json::object& metadata);
  std::expected<void, OAuthError> remove(std::string_view bearer, std::string_view id);
  // Forgets initial tokens that have expired.
  Result<void> sweep();

 private:
  std::expected<std::shared_ptr<const Client>, OAuthError> owner(std::string_view bearer,
                                                                 std::string_view id);
  boost::json::object answer(const Client& client, std::string_view bearer) const;
  accounts::Directory& directory_;
  Clients& clients_;
  std::string issuer_;
};

}  // namespace muhur::oidc

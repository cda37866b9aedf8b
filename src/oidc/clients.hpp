#pragma once
// Registered clients and their policies. Stored in directory.db, read from a cache in memory that changes
// invalidate. Secrets are stored hashed. Thread-safe; changes block.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounts/directory.hpp"
#include "crypto/signing.hpp"

namespace muhur::oidc {

enum class ClientAuth { none, basic, post, private_key_jwt };
std::string_view name_of(ClientAuth auth);  // "client_secret_basic" … as in RFC 7591 §2
std::optional<ClientAuth> client_auth(std::string_view name);
enum class AccessTokenFormat { opaque, jwt };

struct Client {
  std::string id;
  std::string name;
  ClientAuth auth = ClientAuth::basic;
  std::vector<std::string> redirect_uris;  // compared whole; loopback: any port (RFC 8252 §7.3)
  std::vector<std::string> post_logout_redirect_uris;
  std::string backchannel_logout_uri;
  bool backchannel_session_required = true;
  std::vector<std::string> grant_types{"authorization_code", "refresh_token"};
  std::vector<std::string> scopes{"openid", "profile", "email", "offline_access"};  // what it may ask for
  std::vector<std::string> resources;  // RFC 8707 indicators it may name; empty: none
  bool require_pkce = true;
  bool require_par = false;
  bool require_dpop = false;
  bool require_dpop_nonce = false;  // in its proofs (RFC 9449 §8, §9)
  bool skip_consent = false;    // first-party
  bool may_introspect = false;  // tokens of others
  AccessTokenFormat access_token = AccessTokenFormat::opaque;
  crypto::SigningAlgorithm id_token_algorithm = crypto::SigningAlgorithm::es256;
  std::string userinfo_signed_response;  // empty: JSON; else an algorithm's name
  std::string jwks;                      // for private_key_jwt: the JSON document
  std::vector<std::string> groups;       // who may sign in here; empty: all
  std::string logo_uri, policy_uri, tos_uri, client_uri;
  std::string subject_type = "public";
  std::int64_t access_token_s = 600;
  std::int64_t refresh_token_s = 30 * 86'400;
  std::int64_t created_ms = 0;
  bool dynamic = false;  // registered through RFC 7591
};

class Clients {
 public:
  // corrupt: a stored client cannot be read.
  static Result<std::unique_ptr<Clients>> open(accounts::Directory& directory);
  ~Clients();
  std::shared_ptr<const Client> find(std::string_view id) const;  // null when unknown; from memory
  std::vector<std::shared_ptr<const Client>> list() const;
  // The secret, shown once; empty for public clients and private_key_jwt. invalid names the bad member;
  // exists. `also` runs in the same transaction, after the row is there: if it fails nothing is added.
  using Also = std::function<Result<void>(vault::Connection&)>;
  Result<std::string> add(Client client, const Also& also = {});
  // The secret stays; it goes when the client has none any more. invalid, not_found.
  Result<void> update(const Client& client);
  // The old one is no longer taken. not_found; invalid for a client without a secret.
  Result<std::string> rotate_secret(std::string_view id);
  Result<void> remove(std::string_view id);
  bool secret_matches(const Client& client, std::string_view secret) const;  // constant time

 private:
  struct Impl;
  explicit Clients(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What add() and update() check. invalid names the bad member.
Result<void> check_client(const Client& client);

// Whether `uri` is one of the registered: whole, but for the port of a loopback address (127.0.0.1, [::1]).
bool redirect_uri_matches(const Client& client, std::string_view uri);
// https, http on loopback only, or a private-use scheme with a dot; no fragment, userinfo, backslash, control
// characters, dot segments. invalid says which.
Result<void> check_redirect_uri(std::string_view uri);

}  // namespace muhur::oidc

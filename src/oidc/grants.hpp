#pragma once
// Grants and their codes and tokens, as rows. All tokens of a grant are one family: taking the grant back
// takes all of them. Private to oidc/.

#include <optional>
#include <string>

#include "accounts/users.hpp"
#include "oidc/store.hpp"

namespace muhur::oidc {

struct Grant {
  std::int64_t id = 0;
  std::string client_id;
  accounts::UserId user = 0;  // 0: the client itself
  std::string sid, scope, resource, claims, amr;
  std::int64_t auth_time_s = 0;
  std::string jkt;       // the key that the code or, of a public client, the refresh token is bound to
  bool offline = false;  // outlives its session
  std::int64_t ends_s = 0;
  bool revoked = false;
  std::int64_t epoch = 0;      // of the user, when it was made
  std::int64_t client_ms = 0;  // when the client was added: which of that name it is
};

Result<std::int64_t> insert_grant(vault::Connection& c, const Grant& grant);
// nullopt: unknown, taken back or over.
Result<std::optional<Grant>> find_grant(vault::Connection& c, std::int64_t id, std::int64_t now_s);
Result<void> revoke_grant(vault::Connection& c, std::int64_t id, std::int64_t now_s);
// Lives at least until then.
Result<void> keep_grant(vault::Connection& c, const Grant& grant, std::int64_t until_s);
Result<void> bind_grant(vault::Connection& c, std::int64_t id, std::string_view jkt);

struct AuthCode {
  std::int64_t grant_id = 0;
  std::string redirect_uri, challenge, nonce;
  std::int64_t ends_s = 0;
  std::optional<Bytes> wrap;
};
Result<void> insert_code(vault::Connection& c, std::string_view secret, const AuthCode& code);
// Consumes it: nullopt when it is unknown or used, in which case the grant of a used one is taken back.
Result<std::optional<AuthCode>> use_code(vault::Connection& c, std::string_view secret, std::int64_t now_s);

struct RefreshToken {
  std::int64_t grant_id = 0;
  std::int64_t ends_s = 0;
  std::optional<std::int64_t> used_s;
  std::optional<Bytes> successor, wrap;
};
Result<void> insert_refresh(vault::Connection& c, std::string_view secret, const RefreshToken& token);
Result<std::optional<RefreshToken>> find_refresh(vault::Connection& c, std::string_view secret);
// false: it was used before.
Result<bool> use_refresh(vault::Connection& c, std::string_view secret, ByteView successor,
                         std::int64_t now_s);

struct AccessToken {
  std::int64_t grant_id = 0;
  std::string scope, resource, jkt;
  std::int64_t issued_s = 0, ends_s = 0;
  std::optional<Bytes> wrap;
};
Result<void> insert_access(vault::Connection& c, std::string_view secret, const AccessToken& token);
struct LiveToken {
  AccessToken token;
  Grant grant;
};
// nullopt unless it and its grant are good now.
Result<std::optional<LiveToken>> find_access(vault::Connection& c, std::string_view secret,
                                             std::int64_t now_s);
Result<void> drop_access(vault::Connection& c, std::string_view secret);

}  // namespace muhur::oidc

#pragma once
// The token endpoint's grants (RFC 6749 §4 to §6, RFC 8628 §3.4), as rules that run inside one transaction.
// Whatever they consume and whatever they hand out is committed together. Private to oidc/.

#include <boost/json/object.hpp>
#include <optional>

#include "http/form.hpp"
#include "oidc/claims.hpp"
#include "oidc/device.hpp"
#include "oidc/grants.hpp"
#include "oidc/provider.hpp"
#include "oidc/refusal.hpp"

namespace muhur::oidc {

inline constexpr std::string_view kDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

// A client that proved who it is, and what may be seen once only of how it did.
struct Caller {
  std::shared_ptr<const Client> client;
  std::string jkt;  // of its DPoP proof; empty: none
  struct Seen {
    Once once;
    OAuthError error;  // when it was seen before
  };
  std::vector<Seen> seen;
};
Result<Ruled<void>> remember(vault::Connection& c, const Caller& caller);

struct TokenCall {
  const http::Form& form;
  const Caller& caller;
  const Subjects& subjects;
  accounts::Users& users;  // asked inside the transaction: if it fails nothing is consumed
  std::string_view issuer;
  const Lifetimes& lifetimes;
  const ActiveKey* key = nullptr;  // the client's algorithm: for JWTs
  std::int64_t now_s = 0;
};

struct Issued {
  Grant grant;
  std::optional<accounts::User> user;
  std::string access, refresh, scope, nonce;
  std::int64_t expires_in_s = 0;
};

// Dispatches by grant_type.
Result<Ruled<Issued>> run_grant(vault::Connection& c, const TokenCall& call);

// The answer, with an ID token where openid was asked for.
boost::json::object token_answer(const TokenCall& call, const Issued& issued);

}  // namespace muhur::oidc

#pragma once
// Errors as OAuth 2.0 tells them (RFC 6749 §4.1.2.1, §5.2 and later RFCs): a code from the registry, a text
// for developers, and how it travels.

#include <string>

namespace muhur::oidc {

struct OAuthError {
  std::string code;           // "invalid_request", "invalid_grant", "login_required", …
  std::string description;    // ASCII, for the client's developer; never a secret
  int status = 400;           // where it answers a direct request
  std::string www_authenticate;  // for 401: the challenge
  std::string dpop_nonce;     // a fresh nonce to send along (RFC 9449 §8)
  long retry_after_s = 0;     // for 503 and 429
};

}  // namespace muhur::oidc

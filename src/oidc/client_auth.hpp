#pragma once
// How a client proves who it is at the token, introspection, revocation, PAR and device endpoints
// (RFC 6749 §2.3, RFC 7523 for private_key_jwt). One method a request, and the registered one only.

#include <expected>
#include <memory>
#include <span>
#include <string>

#include "http/form.hpp"
#include "oidc/clients.hpp"
#include "oidc/error.hpp"

namespace muhur::oidc {

struct Presented {
  std::string authorization;  // the header, empty when absent
  const http::Form* form = nullptr;
};

// A client assertion's jti has to be remembered until it expires: whoever consumes the result does that in
// its transaction (Store::remember_once).
struct AuthenticatedClient {
  std::shared_ptr<const Client> client;
  std::string assertion_jti;             // the client's id and its jti; empty unless private_key_jwt
  std::int64_t assertion_expires_s = 0;  // when it can no longer be used, leeway included
};

// invalid_client (401 with a Basic challenge when Basic was tried), with one text for an unknown client, a
// wrong secret and another method than the registered. invalid_request: two methods at once, a parameter of
// these that is repeated.
// `audiences`: what an assertion's aud may be: the issuer, first; the URLs of the token endpoint and of the one
// that was asked. A client that follows FAPI 2.0 (private_key_jwt, PAR and DPoP required) names the issuer
// alone, as a text, and signs with no PKCS #1 v1.5 (RS256).
std::expected<AuthenticatedClient, OAuthError> authenticate_client(const Clients& clients,
                                                                   const Presented& presented,
                                                                   std::span<const std::string> audiences,
                                                                   std::int64_t now_s);

}  // namespace muhur::oidc

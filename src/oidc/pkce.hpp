#pragma once
// Proof Key for Code Exchange (RFC 7636), S256 only: `plain` is refused, and so is every mismatch between
// what came with the request and what comes with the code, in both directions (a verifier for a code that
// was asked for without challenge is a sign of a downgrade).

#include <expected>
#include <string_view>

#include "oidc/error.hpp"

namespace muhur::oidc {

// The authorization request's code_challenge and code_challenge_method, empty when absent. Both absent is
// fine unless `required`. invalid_request otherwise: a method that is not S256 (absent means plain), a
// challenge that is not the base64url of 32 bytes.
std::expected<void, OAuthError> check_challenge(std::string_view challenge, std::string_view method,
                                                bool required);

// At the token endpoint: `challenge` as stored with the code, `verifier` as sent; empty when absent. In
// constant time. invalid_grant; invalid_request for a verifier that is not 43 to 128 unreserved characters.
std::expected<void, OAuthError> verify_challenge(std::string_view challenge, std::string_view verifier);

// base64url(SHA-256(verifier)).
std::string challenge_of(std::string_view verifier);

}  // namespace muhur::oidc

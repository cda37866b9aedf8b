#pragma once
// Refusals of the protocol's rules, and how a failure of ours is told. A rule that runs inside a transaction
// returns Result<Ruled<T>>: the outer Error rolls back, the inner refusal is committed with what it did (a
// burnt code, a revoked family). Private to oidc/.

#include <expected>
#include <string_view>

#include "base/error.hpp"
#include "oidc/error.hpp"

namespace muhur::oidc {

template <class T>
using Ruled = std::expected<T, OAuthError>;

inline std::unexpected<OAuthError> refusal(std::string_view code, std::string_view why, int status = 400) {
  return std::unexpected(
      OAuthError{.code = std::string(code), .description = std::string(why), .status = status});
}

// 503 with Retry-After for what passes (busy, a full disk), 500 for the rest. Never a 4xx: a database that is
// busy must not look like a wrong password.
OAuthError failure_of(const Error& error);

}  // namespace muhur::oidc

#include "oidc/refusal.hpp"

#include "base/log.hpp"

namespace muhur::oidc {

OAuthError failure_of(const Error& error) {
  log::warn("oidc", "a request failed", {{"error", error.text()}});
  switch (error.code) {
    case Code::busy:
    case Code::timed_out:
    case Code::no_space:
    case Code::io:
    case Code::closed:
    case Code::limit:
      return {.code = "temporarily_unavailable",
              .description = "try again in a moment",
              .status = 503,
              .retry_after_s = 1};
    default:
      return {.code = "server_error", .description = "the server failed", .status = 500};
  }
}

}  // namespace muhur::oidc

#include "oidc/pkce.hpp"

#include <algorithm>

#include "base/encoding.hpp"
#include "base/secret.hpp"
#include "crypto/mac.hpp"

namespace muhur::oidc {
namespace {

constexpr std::size_t kShortestVerifier = 43;  // RFC 7636 §4.1
constexpr std::size_t kLongestVerifier = 128;
constexpr std::size_t kDigest = 32;

std::unexpected<OAuthError> refuse(std::string_view code, std::string_view why) {
  return std::unexpected(OAuthError{.code = std::string(code), .description = std::string(why)});
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

std::expected<void, OAuthError> check_challenge(std::string_view challenge, std::string_view method,
                                                bool required) {
  if (challenge.empty() && method.empty()) {
    if (required) return refuse("invalid_request", "code_challenge is missing: this client must use PKCE");
    return {};
  }
  if (method != "S256") return refuse("invalid_request", "code_challenge_method must be S256");
  const auto digest = from_base64url(challenge);
  if (!digest || digest->size() != kDigest)
    return refuse("invalid_request", "code_challenge is not the base64url of a SHA-256");
  return {};
}

std::expected<void, OAuthError> verify_challenge(std::string_view challenge, std::string_view verifier) {
  if (challenge.empty() && verifier.empty()) return {};
  if (challenge.empty())
    return refuse("invalid_grant", "code_verifier was sent for a code without code_challenge");
  if (verifier.empty()) return refuse("invalid_grant", "code_verifier is missing");
  if (verifier.size() < kShortestVerifier || verifier.size() > kLongestVerifier ||
      !std::ranges::all_of(verifier, is_unreserved))
    return refuse("invalid_request", "code_verifier is not 43 to 128 unreserved characters");
  if (!equal_constant_time(as_bytes(challenge_of(verifier)), as_bytes(challenge)))
    return refuse("invalid_grant", "code_verifier does not fit the code_challenge");
  return {};
}

std::string challenge_of(std::string_view verifier) {
  return to_base64url(crypto::sha256(as_bytes(verifier)));
}

}  // namespace muhur::oidc

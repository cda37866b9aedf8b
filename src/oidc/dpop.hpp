#pragma once
// DPoP proofs (RFC 9449): a key that the client holds, shown with each request.

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/secret.hpp"
#include "oidc/error.hpp"

namespace muhur::oidc {

struct DpopProof {
  std::string jkt;             // RFC 7638 thumbprint of the key
  std::string jti;             // jkt and jti: to be remembered once (Store::remember_once) until expires_s
  std::int64_t expires_s = 0;  // when the proof can no longer be used, leeway included
};

class Dpop {
 public:
  explicit Dpop(Secret nonce_key) : nonce_key_(std::move(nonce_key)) {}
  // `proof`: the header's only value. `access_token`: for ath at resources. invalid_dpop_proof, or
  // use_dpop_nonce with a fresh nonce in the error: when `require_nonce`, and for a nonce that is none of
  // ours or too old. Status 401 with a DPoP challenge at resources, 400 elsewhere. Thread-safe.
  std::expected<DpopProof, OAuthError> check(std::string_view proof, std::string_view method,
                                             std::string_view url, std::int64_t now_s,
                                             std::optional<std::string_view> access_token,
                                             bool require_nonce) const;
  std::string nonce(std::int64_t now_s) const;  // stateless: an HMAC of the time slot

 private:
  bool is_nonce(std::string_view nonce, std::int64_t now_s) const;
  Secret nonce_key_;
};

}  // namespace muhur::oidc

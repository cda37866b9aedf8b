#pragma once
// The provider's signing keys: one active a algorithm, published one overlap before it signs, kept until
// the longest token that it signed has expired. Stored in directory.db (encrypted with it); a key that
// cannot be read stops the start. Reads are from memory; thread-safe.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounts/directory.hpp"
#include "crypto/signing.hpp"

namespace muhur::oidc {

struct SigningKeyOptions {
  std::int64_t rotate_s = 90 * 86'400;
  std::int64_t overlap_s = 86'400;    // published before use: at least the JWKS' max-age
  std::int64_t keep_s = 31 * 86'400;  // after use: the longest life of what it signed
};

struct ActiveKey {
  std::string kid;
  crypto::SigningKey key;
};

class SigningKeys {
 public:
  // corrupt: a stored key cannot be read. The first ES256 key is made here.
  static Result<std::unique_ptr<SigningKeys>> open(accounts::Directory& directory,
                                                   SigningKeyOptions options = {});
  ~SigningKeys();
  // Made when first asked for: that one call blocks (RS256: a tenth of a second); all others do not.
  Result<ActiveKey> active(crypto::SigningAlgorithm algorithm);
  std::optional<crypto::PublicKey> find(std::string_view kid) const;  // of any age; from memory
  std::string jwks() const;                                           // the JSON document, from memory
  std::string jwks_etag() const;
  Result<void> rotate_due();  // called by the scheduler; blocks
  // A new key that signs from now on; those before it stay in the JWKS. Blocks.
  Result<void> rotate_now(crypto::SigningAlgorithm algorithm);

 private:
  struct Impl;
  explicit SigningKeys(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::oidc

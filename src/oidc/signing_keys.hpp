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

struct KeyInfo {
  enum class State { next, signs, kept };  // published ahead · signs now · verifies what it signed
  std::string kid;
  crypto::SigningAlgorithm algorithm = crypto::SigningAlgorithm::es256;
  std::int64_t created_s = 0, active_s = 0;
  State state = State::signs;
};

class SigningKeys {
 public:
  // corrupt: a stored key cannot be read. The first ES256 key is made here.
  static Result<std::unique_ptr<SigningKeys>> open(accounts::Directory& directory,
                                                   SigningKeyOptions options = {});
  ~SigningKeys();
  // One key of each algorithm, where there is none: in the JWKS before anything is signed with it. Blocks.
  Result<void> publish_all();
  // Made when first asked for: that one call blocks (RS256: a tenth of a second); all others do not.
  Result<ActiveKey> active(crypto::SigningAlgorithm algorithm);
  std::optional<crypto::PublicKey> find(std::string_view kid) const;  // of any age; from memory
  std::string jwks() const;                                           // the JSON document, from memory
  std::string jwks_etag() const;
  Result<void> rotate_due();  // called by the scheduler; blocks
  // A new key that signs from now on; those before it stay in the JWKS. Blocks.
  Result<void> rotate_now(crypto::SigningAlgorithm algorithm);
  // The next key before its time: published now, it signs one overlap from now. exists: there is one. Blocks.
  Result<void> rotate_soon(crypto::SigningAlgorithm algorithm);
  std::vector<KeyInfo> list() const;  // by algorithm, oldest first
  // Out of the JWKS: nobody believes any more what it signed. not_found; invalid: it signs now. Blocks.
  Result<void> remove(std::string_view kid);

 private:
  struct Impl;
  explicit SigningKeys(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::oidc

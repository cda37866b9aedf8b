#pragma once
// Compact JWS and JWT (RFC 7515, 7519), and nothing beyond what the provider needs: the algorithm comes from
// the key, never from the token; no "none", no embedded keys, no remote keys, no "crit", no compression.

#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "crypto/signing.hpp"

namespace muhur::oidc {

struct Jws {  // parsed, not yet verified
  boost::json::object header;
  boost::json::object payload;
  std::string_view signing_input;  // views into the token
  Bytes signature;
};
// invalid: over 16 KiB, not three base64url parts, JSON with duplicate names or nesting over 32, a header
// without alg, with alg "none" or with jwk (unless allowed: DPoP), jku, x5u, x5c, crit or zip.
Result<Jws> parse_jws(std::string_view token, bool allow_jwk = false);

// Header {alg, typ, kid} and the payload, signed. An empty type or kid is left out.
std::string sign_jwt(const boost::json::object& payload, std::string_view type, std::string_view kid,
                     const crypto::SigningKey& key);

// denied unless the key verifies it under the algorithm of `allowed` that is its own and that the header
// names.
Result<void> verify_jws(const Jws& jws, const crypto::PublicKey& key,
                        std::span<const crypto::SigningAlgorithm> allowed);

// A NumericDate in whole seconds; nullopt when it is absent or no sensible number.
std::optional<std::int64_t> time_of(const boost::json::object& payload, std::string_view name);
// Registered claims with leeway (60 s): exp must be there and in the future, nbf and iat not in the future.
Result<void> check_times(const boost::json::object& payload, std::int64_t now_s, long leeway_s = 60);

// A JWK Set of public keys. `kid` is a look-up in the set; without one every key that fits is tried.
class JwkSet {
 public:
  // Keys of an unknown kty or curve and those for encryption are passed over (RFC 7517 §5). invalid: no such
  // document, symmetric or private keys, unusable ones, more than 64, over 64 KiB.
  static Result<JwkSet> parse(std::string_view json);
  // denied when no key of the set verifies it under an algorithm of `allowed`.
  Result<void> verify(const Jws& jws, std::span<const crypto::SigningAlgorithm> allowed) const;
  bool empty() const { return keys_.empty(); }

 private:
  std::vector<std::pair<std::string, crypto::PublicKey>> keys_;
};

// What others may sign with: assertions, proofs.
inline constexpr crypto::SigningAlgorithm kAccepted[] = {
    crypto::SigningAlgorithm::es256, crypto::SigningAlgorithm::eddsa, crypto::SigningAlgorithm::rs256,
    crypto::SigningAlgorithm::ps256};

// Half of a digest for at_hash and c_hash (OpenID Connect Core §3.1.3.6): SHA-256, and SHA-512 for EdDSA, as
// Ed25519 has it.
std::string half_hash(std::string_view value,
                      crypto::SigningAlgorithm algorithm = crypto::SigningAlgorithm::es256);

}  // namespace muhur::oidc

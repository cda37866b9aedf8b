#pragma once
// Signature keys: ES256 (P-256), EdDSA (Ed25519), RS256 (RSA-2048), by OpenSSL EVP. Signatures are in JOSE's
// form (RFC 7518 §3.4: r || s for ES256). A key verifies only with its own algorithm. Thread-safe.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::crypto {

enum class SigningAlgorithm { es256, eddsa, rs256, ps256 };  // ps256: verification of others' keys only
std::string_view name_of(SigningAlgorithm algorithm);        // "ES256" …
// "Ed25519" (RFC 9864) names EdDSA too: there is no other curve here.
std::optional<SigningAlgorithm> signing_algorithm(std::string_view name);

class PublicKey {
 public:
  // From a JWK's public members as JSON (RFC 7517, 7518, 8037). invalid: unknown kty or curve, a point off
  // the curve, RSA under 2048 or over 8192 bits, private members present, a use other than "sig". An "alg"
  // narrows what the key fits. The caller bounds the text's size.
  static Result<PublicKey> from_jwk(std::string_view json);
  bool verify(SigningAlgorithm algorithm, ByteView message,
              ByteView signature) const;  // false for another's algorithm
  std::string jwk() const;                // public members, canonical order
  std::string thumbprint() const;         // RFC 7638, base64url of SHA-256
  bool fits(SigningAlgorithm algorithm) const;

 private:
  friend class SigningKey;
  struct Held;  // EVP_PKEY
  std::shared_ptr<const Held> held_;
};

class SigningKey {
 public:
  static Result<SigningKey> generate(SigningAlgorithm algorithm);  // RS256 takes a tenth of a second
  // corrupt: not PKCS#8, another kind of key, halves that do not fit together.
  static Result<SigningKey> from_der(SigningAlgorithm algorithm, const Secret& pkcs8);
  Secret der() const;  // PKCS#8
  Bytes sign(ByteView message) const;
  PublicKey public_key() const;
  SigningAlgorithm algorithm() const { return algorithm_; }

 private:
  SigningAlgorithm algorithm_ = SigningAlgorithm::es256;
  PublicKey key_;  // with the private half
};

}  // namespace muhur::crypto

#include "crypto/mac.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>

#include "crypto/sodium_ready.hpp"

namespace muhur::crypto {
namespace {

// Digests over memory fail only when memory is out or the library is broken: nothing to go on with.
void must(bool done) {
  if (!done) std::abort();
}

// Fetched once: the implicit fetch in EVP_sha256() costs a lookup at every use.
const EVP_MD* sha256_algorithm() {
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  must(algorithm != nullptr);
  return algorithm;
}

}  // namespace

Digest sha256(ByteView bytes) {
  Digest digest;
  must(EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, sha256_algorithm(), nullptr) == 1);
  return digest;
}

Digest hmac_sha256(ByteView key, ByteView bytes) {
  Digest digest;
  const Byte none = 0;
  // OpenSSL takes a null key for "the key of last time".
  must(HMAC(sha256_algorithm(), key.empty() ? &none : key.data(), static_cast<int>(key.size()), bytes.data(),
            bytes.size(), digest.data(), nullptr) != nullptr);
  return digest;
}

Digest blake2b(ByteView bytes, ByteView key) {
  sodium_ready();
  Digest digest;
  must(key.size() <= crypto_generichash_KEYBYTES_MAX);
  must(crypto_generichash(digest.data(), digest.size(), bytes.data(), bytes.size(),
                          key.empty() ? nullptr : key.data(), key.size()) == 0);
  return digest;
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  must(state_->context != nullptr && EVP_DigestInit_ex2(state_->context, sha256_algorithm(), nullptr) == 1);
}
Sha256::~Sha256() = default;

void Sha256::update(ByteView piece) {
  must(EVP_DigestUpdate(state_->context, piece.data(), piece.size()) == 1);
}

Digest Sha256::finish() {
  Digest digest;
  must(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1);
  must(EVP_DigestInit_ex2(state_->context, sha256_algorithm(), nullptr) == 1);
  return digest;
}

}  // namespace muhur::crypto

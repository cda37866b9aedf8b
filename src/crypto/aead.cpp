// The box:
//   version  1 byte   0x01
//   nonce   24 bytes  random
//   cipher   n bytes  XChaCha20 of the plaintext
//   tag     16 bytes  Poly1305 over associated data and cipher
// Associated data, so that purpose and context cannot run into each other:
//   version 1 | length of purpose, 4 bytes big-endian | purpose | context
#include "crypto/aead.hpp"

#include "base/random.hpp"
#include "crypto/sodium_ready.hpp"

namespace muhur::crypto {
namespace {

constexpr Byte kVersion = 1;
constexpr std::size_t kNonceSize = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagSize = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(kAeadKeySize == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
static_assert(kAeadOverhead == 1 + kNonceSize + kTagSize);

Bytes associated_data(std::string_view purpose, ByteView context) {
  Bytes out(1 + 4);
  out[0] = kVersion;
  store_be32(out.data() + 1, static_cast<std::uint32_t>(purpose.size()));
  out.insert(out.end(), purpose.begin(), purpose.end());
  out.insert(out.end(), context.begin(), context.end());
  return out;
}

std::unexpected<Error> refused() {
  return fail(Code::denied, "the sealed value does not open with this key");
}

}  // namespace

Bytes seal_box(const Secret& key, ByteView plaintext, std::string_view purpose, ByteView context) {
  sodium_ready();
  if (key.size() != kAeadKeySize) std::abort();  // a bug: sealing under a wrong key would lose the data
  Bytes box(kAeadOverhead + plaintext.size());
  box[0] = kVersion;
  Byte* nonce = box.data() + 1;
  fill_random({nonce, kNonceSize});
  const Bytes ad = associated_data(purpose, context);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + kNonceSize, nullptr, plaintext.data(), plaintext.size(),
                                             ad.data(), ad.size(), nullptr, nonce, key.data());
  return box;
}

Result<Secret> open_box(const Secret& key, ByteView box, std::string_view purpose, ByteView context) {
  sodium_ready();
  if (key.size() != kAeadKeySize || box.size() < kAeadOverhead || box[0] != kVersion) return refused();
  const Byte* nonce = box.data() + 1;
  const ByteView sealed = box.subspan(1 + kNonceSize);
  Secret plaintext(sealed.size() - kTagSize);
  const Bytes ad = associated_data(purpose, context);
  Byte none = 0;  // libsodium wants somewhere to write, even nothing
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(plaintext.empty() ? &none : plaintext.writable().data(),
                                                 nullptr, nullptr, sealed.data(), sealed.size(), ad.data(),
                                                 ad.size(), nonce, key.data()) != 0)
    return refused();
  return plaintext;
}

}  // namespace muhur::crypto

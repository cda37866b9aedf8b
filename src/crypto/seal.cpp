#include "crypto/seal.hpp"

#include "crypto/sodium_ready.hpp"

namespace muhur::crypto {
namespace {

constexpr Byte kX25519 = 1;
constexpr std::size_t kHalf = crypto_box_PUBLICKEYBYTES;
static_assert(kHalf == 32 && crypto_box_SECRETKEYBYTES == 32);
static_assert(kSealOverhead == 1 + crypto_box_SEALBYTES);

}  // namespace

SealingPair SealingPair::generate() {
  sodium_ready();
  SealingPair pair{Bytes(kHalf), Secret(kHalf)};
  crypto_box_keypair(pair.public_half.data(), pair.private_half.writable().data());
  return pair;
}

Result<Bytes> seal_to(ByteView public_half, ByteView plaintext) {
  sodium_ready();
  if (public_half.size() != kHalf) return fail(Code::invalid, "a sealing key must have 32 bytes");
  Bytes box(kSealOverhead + plaintext.size());
  box[0] = kX25519;
  // Fails for a public half of low order: sealed to it, anyone could open.
  if (crypto_box_seal(box.data() + 1, plaintext.data(), plaintext.size(), public_half.data()) != 0)
    return fail(Code::invalid, "this is no sealing key");
  return box;
}

Result<Bytes> open_sealed(const SealingPair& pair, ByteView box) {
  sodium_ready();
  if (pair.public_half.size() != kHalf || pair.private_half.size() != kHalf)
    return fail(Code::invalid, "a sealing pair must have 32 bytes in each half");
  if (box.empty()) return fail(Code::denied, "the sealed message is empty");
  if (box[0] != kX25519)
    return fail(Code::unsupported, "the message is sealed in a form that this version does not know",
                "Open it with the version of Muhur that sealed it, or a later one");
  if (box.size() < kSealOverhead) return fail(Code::denied, "the sealed message is cut off");
  Bytes plaintext(box.size() - kSealOverhead);
  Byte none = 0;
  if (crypto_box_seal_open(plaintext.empty() ? &none : plaintext.data(), box.data() + 1, box.size() - 1,
                           pair.public_half.data(), pair.private_half.data()) != 0)
    return fail(Code::denied, "the sealed message does not open: it is for another key, or damaged");
  return plaintext;
}

}  // namespace muhur::crypto

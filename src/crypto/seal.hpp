#pragma once
// Sealed boxes: anyone with the public half can put a message in, only the private half takes it out
// (libsodium crypto_box_seal: X25519, ephemeral sender key). box = version 1 | sealed.
// Version 1 is X25519 alone; version 2 is kept for the hybrid with ML-KEM-768 once the system's OpenSSL
// offers it (3.5 and later; Debian 12 has 3.0). An unknown version is refused as unsupported.

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::crypto {

struct SealingPair {
  Bytes public_half;    // 32 bytes
  Secret private_half;  // 32 bytes
  static SealingPair generate();
};

inline constexpr std::size_t kSealOverhead = 1 + 48;

Result<Bytes> seal_to(ByteView public_half, ByteView plaintext);
Result<Bytes> open_sealed(const SealingPair& pair, ByteView box);

}  // namespace muhur::crypto

#pragma once
// Digests and message authentication: SHA-256, HMAC-SHA256 (OpenSSL), BLAKE2b with and without key
// (libsodium). Thread-safe.

#include <array>
#include <memory>

#include "base/bytes.hpp"

namespace muhur::crypto {

using Digest = std::array<Byte, 32>;

Digest sha256(ByteView bytes);
Digest hmac_sha256(ByteView key, ByteView bytes);
Digest blake2b(ByteView bytes, ByteView key = {});

class Sha256 {  // in pieces
 public:
  Sha256();
  ~Sha256();
  void update(ByteView piece);
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muhur::crypto

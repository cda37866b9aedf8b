#pragma once
// Key derivation: Argon2id (libsodium), HKDF-SHA256 (RFC 5869), PBKDF2-HMAC-SHA256. Thread-safe.

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::crypto {

struct Argon2Cost {
  std::uint32_t memory_kib = 19'456;  // OWASP's first choice: 19 MiB, two passes, one lane
  std::uint32_t passes = 2;
  bool operator==(const Argon2Cost&) const = default;
};

// `salt` has 16 bytes. Fails with busy when the memory cannot be had.
Result<Secret> argon2id(ByteView password, ByteView salt, const Argon2Cost& cost, std::size_t size);

Secret hkdf(ByteView key, ByteView salt, std::string_view info, std::size_t size);
Secret pbkdf2_sha256(ByteView password, ByteView salt, std::uint32_t rounds, std::size_t size);

}  // namespace muhur::crypto

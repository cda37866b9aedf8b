#pragma once
// XChaCha20-Poly1305 boxes (libsodium): box = version 1 byte | nonce 24 | ciphertext | tag 16.
// The purpose ("dek-wrap:password") and the context (a user's id …) are associated data: a box opened for
// another purpose or another user fails. Thread-safe.

#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::crypto {

inline constexpr std::size_t kAeadKeySize = 32;
inline constexpr std::size_t kAeadOverhead = 1 + 24 + 16;

// `key` has 32 bytes.
Bytes seal_box(const Secret& key, ByteView plaintext, std::string_view purpose, ByteView context = {});
// denied: wrong key, purpose or context, or a damaged box: which of them cannot be told.
Result<Secret> open_box(const Secret& key, ByteView box, std::string_view purpose, ByteView context = {});

}  // namespace muhur::crypto

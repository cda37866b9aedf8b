#pragma once
// Bytes as they are stored: compressed with zstd when that helps.
//
//   packed = method u8 (0 as they are, 1 zstd) | size of the plain bytes varint | bytes
//
// Thread-safe; the zstd contexts are the thread's own.

#include <optional>
#include <string>

#include "base/bytes.hpp"

namespace muhur::mailbox {

// Content is cut into pieces of this many plain bytes, each packed by itself (the last may be shorter).
inline constexpr std::size_t kChunk = 64 * 1024;

Bytes pack(ByteView plain);
inline Bytes pack(std::string_view plain) { return pack(as_bytes(plain)); }

// nullopt: damaged, or more than `max_plain` bytes (nothing is allocated on the word of stored bytes).
std::optional<std::string> unpack(ByteView packed, std::size_t max_plain);

}  // namespace muhur::mailbox

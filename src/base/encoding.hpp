#pragma once
// Text encodings of bytes: hex, base64 (RFC 4648 §4), base64url without padding (§5).
// Decoders are strict unless they say otherwise: no white space, no stray bits, right padding.

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace muhur {

std::string to_hex(ByteView bytes);
std::optional<Bytes> from_hex(std::string_view text);

std::string to_base64(ByteView bytes);
std::optional<Bytes> from_base64(std::string_view text);

std::string to_base64url(ByteView bytes);
std::optional<Bytes> from_base64url(std::string_view text);

// Crockford's base 32, upper case in groups of four joined by '-': for recovery keys that people type.
std::string to_crockford(ByteView bytes);
// Case-insensitive; accepts O for 0, I and L for 1; ignores '-' and spaces.
std::optional<Bytes> from_crockford(std::string_view text);

}  // namespace muhur

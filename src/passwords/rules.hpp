#pragma once
// What a password may be. One normal form (NFC) before hashing, the same at setting and at signing in.

#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::passwords {

inline constexpr std::size_t kMaxPasswordBytes = 1024;  // longer ones are refused before any hashing
inline constexpr std::size_t kMinPasswordChars = 8;     // at setting

// The normal form. invalid: NUL inside, not UTF-8, too long, empty.
Result<Secret> normalize(ByteView password);
// normalize() and the rules for a new one. The remedy says what is missing.
Result<Secret> accept_new(ByteView password);

}  // namespace muhur::passwords

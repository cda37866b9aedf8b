#pragma once
// Records of crypt(3) other than bcrypt: $1$, $5$, $6$, $y$, verified by libxcrypt, for import only. Private
// to this folder.

#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::passwords {

// unsupported: another format. invalid: malformed, or one that asks for endless work.
Result<void> check_crypt_format(std::string_view text);

// Whether the password gives this very text. Blocks: yescrypt takes a tenth of a second and more. A password
// with a NUL inside, or longer than crypt takes (511 bytes), never matches.
Result<bool> matches_crypt(const Secret& password, std::string_view text);

}  // namespace muhur::passwords

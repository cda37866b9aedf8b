#pragma once
// A file's cipher as SQLite3 Multiple Ciphers' parameters name it, in a URI or in PRAGMAs of the same
// names. Private to the vault.

#include <functional>
#include <optional>
#include <string_view>

#include "vault/page_cipher.hpp"

namespace muhur::vault {

// The value of a parameter, null where it was not given.
using Parameters = std::function<const char*(const char* name)>;

// All that parse_cipher_choice looks at.
inline constexpr const char* kCipherParameters[] = {
    "cipher", "legacy", "hmac_check", "kdf_iter", "plaintext_header_size", "legacy_page_size", "cipher_salt"};

// nullopt: a cipher that is not known, or a value that cannot be.
std::optional<CipherChoice> parse_cipher_choice(const Parameters& given);

// "chacha20", "sqleet" or "aes256cbc".
const char* name_of(CipherKind kind);

}  // namespace muhur::vault

#pragma once
// aes256cbc: what wxSQLite3 and early SQLite3 Multiple Ciphers wrote. Kept to read such files and to move
// away from them: no tag, so damage and forgery are not seen. Private to the vault.

#include <memory>

#include "vault/page_cipher.hpp"

namespace muhur::vault {

// Null for a raw key: this cipher knows passphrases only.
std::unique_ptr<PageCipher> make_aes256cbc(const Key& key);

}  // namespace muhur::vault

#pragma once
// How one page of a database is encrypted. Main file, WAL and rollback journal hold pages in the same
// form, so one cipher serves all three. Private to the vault.
//
// A cipher is used by one thread at a time (as its connection is). Page numbers start at 1.

#include <cstdint>
#include <memory>
#include <optional>

#include "base/secret.hpp"
#include "vault/key.hpp"

namespace muhur::vault {

using Salt = std::array<Byte, kSaltSize>;

enum class CipherKind {
  chacha20,   // SQLite3 Multiple Ciphers' default, and Muhur's own
  sqleet,     // chacha20 with legacy=1: page 1 encrypted from its first byte
  aes256cbc,  // wxSQLite3's: no salt, no tag
};

// What a URI may say of a file's cipher (vault/vfs.cpp reads it).
struct CipherChoice {
  CipherKind kind = CipherKind::chacha20;
  bool check_tags = true;  // hmac_check
  std::uint32_t kdf_rounds = kKdfRounds;
  std::uint32_t plaintext_header = 0;       // bytes of page 1 left plain; the salt is then not in the file
  std::uint32_t fallback_page_size = 4096;  // where the header that says it is encrypted too
  std::optional<Salt> salt;                 // cipher_salt: wins over the file's
};

class PageCipher {
 public:
  virtual ~PageCipher() = default;
  // Bytes at the end of each page that belong to the cipher: SQLite must keep off them.
  virtual std::size_t reserved() const = 0;
  // `out` has plain.size() bytes and may be plain.data() itself. False: the cipher failed, out is zeros.
  [[nodiscard]] virtual bool encrypt(std::uint32_t page, ByteView plain, Byte* out) = 0;
  // Likewise. False: the page is not authentic (or no page of this key), out is zeros.
  [[nodiscard]] virtual bool decrypt(std::uint32_t page, ByteView sealed, Byte* out) = 0;
};

// Derives the key (PBKDF2 for a passphrase: tens of milliseconds). Null: the choice and the key do not
// fit together.
std::unique_ptr<PageCipher> make_page_cipher(const CipherChoice& choice, const Key& key, const Salt& salt);

// A page size SQLite could have.
constexpr bool is_page_size(std::uint64_t n) { return n >= 512 && n <= 65536 && (n & (n - 1)) == 0; }
// From bytes 16 and 17 of a database header; 0 when they say none.
std::uint32_t page_size_in(const Byte* header);

inline constexpr std::string_view kMagic{"SQLite format 3\0", 16};

}  // namespace muhur::vault

#pragma once
// The key of one database, in the forms that SQLite3 Multiple Ciphers knows:
//   passphrase            -> PBKDF2-HMAC-SHA256, 64,007 rounds, salt = first 16 bytes of the file
//   raw:<32 or 48 bytes>, raw:<64 or 96 hex>, x'<64 or 96 hex>'  -> used as it is (48/96: key and salt)
// Muhur's own databases always use 32 raw random bytes, so that opening costs no derivation.

#include <array>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::vault {

inline constexpr std::size_t kKeySize = 32;
inline constexpr std::size_t kSaltSize = 16;
inline constexpr std::uint32_t kKdfRounds = 64'007;

// Movable, wiped when it goes. Immutable after construction: may be read from several threads.
class Key {
 public:
  Key() = default;  // no key: a plain database
  static Key raw(const Secret& key32);
  static Key raw(const Secret& key32, ByteView salt16);  // the salt is used for a new file only
  static Key random();
  static Key passphrase(ByteView bytes);
  // What PRAGMA key takes: recognises the raw forms, else it is a passphrase.
  static Key parse(ByteView text);

  bool empty() const { return bytes_.empty(); }
  bool is_raw() const { return raw_; }
  const std::optional<std::array<Byte, kSaltSize>>& salt() const { return salt_; }

  // The 32-byte cipher key for a file whose salt is `salt16`. Raw: at once. Passphrase: one PBKDF2.
  // `rounds` differs from the default for sqleet's files only.
  Secret derive(ByteView salt16, std::uint32_t rounds = kKdfRounds) const;

  // The bytes as they were given, before any derivation: what aes256cbc starts from. Secret.
  ByteView bytes() const { return bytes_.view(); }

  // "raw:<64 hex>" for a raw key, the passphrase otherwise: what another tool is given. Secret.
  Secret exported() const;

  Key copy() const;

  // In constant time for keys of one kind and size.
  friend bool operator==(const Key& a, const Key& b) { return a.raw_ == b.raw_ && a.bytes_ == b.bytes_; }

 private:
  Secret bytes_;
  bool raw_ = false;
  std::optional<std::array<Byte, kSaltSize>> salt_;
};

}  // namespace muhur::vault

#pragma once
// Moves a database away from an older cipher, or from none, to chacha20, under its own name. What is stored
// stays; pages are laid out anew, with room for nonce and tag.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "vault/key.hpp"

namespace muhur::vault {

struct CipherMigration {
  std::filesystem::path path;
  const Key* key = nullptr;      // it opens the file now; null or empty: a plain database
  std::string cipher;            // "sqleet"; empty: found out
  const Key* new_key = nullptr;  // null: the same as before
  std::function<void(std::uint64_t bytes_done, std::uint64_t bytes_in_all)> progress;
};

struct CipherMigrated {
  bool changed = false;  // false: it was chacha20 already, under this key
  std::string from;      // "none", "sqleet", "aes256cbc", "chacha20"
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
};

// Blocks. The new file is written to PATH.migrating, every page of it verified, flushed, and then takes the
// old one's name, owner and mode in one step: a crash leaves the one or the other, whole. A run that was
// interrupted leaves PATH.migrating, which the next run removes and makes anew.
// busy: somebody has the file open. invalid: a plain file and no new key. no_space: the file system has not
// the room for the second file. On any failure the database is as it was (its WAL is moved into it first).
Result<CipherMigrated> migrate_cipher(const CipherMigration& wanted);

}  // namespace muhur::vault

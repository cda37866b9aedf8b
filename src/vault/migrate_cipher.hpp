#pragma once
// Moves a database away from an older cipher, or from none, to chacha20, under its own name. What is stored
// stays; pages are laid out anew, with room for nonce and tag.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "vault/key.hpp"
#include "vault/profile.hpp"

namespace muhur::vault {

struct CipherMigration {
  std::filesystem::path path;
  const Key* key = nullptr;      // it opens the file now; null or empty: a plain database
  std::string cipher;            // "sqleet"; empty: found out
  const Key* new_key = nullptr;  // null: the same as before
  std::function<void(std::uint64_t bytes_done, std::uint64_t bytes_in_all)> progress;
  std::function<bool()> go_on = {};        // asked after each batch; false: stop. Empty: never
  std::uint64_t batch_bytes = 8ULL << 20;  // about what a killed run loses, at least one row
  // Of each batch: full, and a power cut loses no more than a kill; off, and the copy may be begun anew after
  // it.
  Durability durability = Durability::full;
};

struct CipherMigrated {
  bool changed = false;  // false: it was chacha20 already, under this key
  std::string from;      // "none", "sqleet", "aes256cbc", "chacha20"
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::uint64_t rows_copied = 0;  // by this run
  std::uint64_t rows_kept = 0;    // found in the copy that an interrupted run left
  std::string started_over;  // why a copy that lay there was not gone on with; empty: it was, or none did
};

// Blocks. The new file is written to PATH.migrating, every page of it verified, its schema and rows compared
// with the old one's, flushed, and then takes the old one's name, owner and mode in one step: a crash leaves
// the one or the other, whole. A run that was interrupted leaves PATH.migrating, and the next one goes on
// from there: with the last batch of rows for rowid tables (other tables' rows are read again up to it, not
// written). It needs the same new key, and the source as it was (size, time of change, first page); else it
// starts over, and says why. A damaged copy is thrown away as well. busy: somebody has the file open.
// invalid: a plain file and no new key. no_space: the file system has not the room for the second file.
// closed: stopped by go_on. corrupt: the copy does not verify; it is removed. On any failure the database is
// as it was, but that its WAL is moved into it first and it is in rollback mode until a migration is
// complete.
Result<CipherMigrated> migrate_cipher(const CipherMigration& wanted);

}  // namespace muhur::vault

#pragma once
// The encrypting VFS: a shim over SQLite's default unix VFS, in SQLite3 Multiple Ciphers' chacha20 page
// format (docs/vault.md), WAL and rollback journal included; temp files of every kind are encrypted under
// a key that dies with the file. Registered once a process under the name "muhur".
//
// A database is named by URI: file:PATH?vfs=muhur&keyid=ID, where ID is a handle of vault/key_registry.hpp:
// the key itself never appears in a URI, in SQL or in a log. Without keyid a file passes through plain.
// Further parameters, as SQLite3 Multiple Ciphers names them: cipher=chacha20|sqleet|aes256cbc, legacy,
// kdf_iter, plaintext_header_size, cipher_salt (32 hex), legacy_page_size, hmac_check. And shared=1: other
// processes may attach to the WAL while this one has it open (vault/wal_guard.hpp); without it they get
// SQLITE_PROTOCOL.
// After opening, SQLITE_FCNTL_RESERVE_BYTES must be set to kReservedBytes for a new database (not for
// aes256cbc), and secure_delete must stay on.
// On any I/O pattern that SQLite is not known to make, the shim fails (SQLITE_IOERR) rather than guess.

#include <cstdint>
#include <string_view>

#include "base/error.hpp"

namespace muhur::vault {

inline constexpr const char* kVfsName = "muhur";
inline constexpr int kReservedBytes = 32;  // nonce 16 + tag 16 at the end of each page

// Registers the VFS (not as default). Idempotent, thread-safe. Also configures SQLite once: no memory
// statistics, URI names on.
Result<void> register_vfs();
// The same over a named VFS and under another name, which must live as long as the program: for tests that
// watch or disturb what reaches the disk.
Result<void> register_vfs_over(const char* base_name, const char* new_name);
// One whose databases take their key by PRAGMA or in the URI (vault/keyable_file.hpp): for programs that know
// nothing of Muhur. As default it is what every database of the process is opened through.
Result<void> register_keyable_vfs(const char* new_name = kVfsName, bool as_default = true);

// What the ciphers did since the start, process-wide.
struct CipherFigures {
  std::uint64_t pages_encrypted, pages_decrypted, bad_tags, wal_frames, temp_blocks;
};
CipherFigures cipher_figures();

}  // namespace muhur::vault

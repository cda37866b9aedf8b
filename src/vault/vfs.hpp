#pragma once
// The encrypting VFS: a shim over SQLite's default unix VFS, in SQLite3 Multiple Ciphers' chacha20 page
// format (docs/vault.md), WAL and rollback journal included; temp files of every kind are encrypted under
// a key that dies with the file. Registered once a process under the name "muhur".
//
// A database is named by URI: file:PATH?vfs=muhur&keyid=ID, where ID is a handle of vault/key_registry.hpp:
// the key itself never appears in a URI, in SQL or in a log. Without keyid a file passes through plain.
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

// What the ciphers did since the start, process-wide.
struct CipherFigures {
  std::uint64_t pages_encrypted, pages_decrypted, bad_tags, wal_frames, temp_blocks;
};
CipherFigures cipher_figures();

}  // namespace muhur::vault

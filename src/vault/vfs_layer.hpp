#pragma once
// What a VFS of ours keeps in its pAppData. Private to the vault.

#include "vault/sqlite.hpp"

namespace muhur::vault {

struct VfsLayer {
  sqlite3_vfs* below;
  bool keyable;  // its databases take a key by PRAGMA or in the URI (vault/keyable_file.hpp)
};

inline const VfsLayer& layer_of(const sqlite3_vfs* vfs) {
  return *static_cast<const VfsLayer*>(vfs->pAppData);
}
inline sqlite3_vfs* vfs_below(const sqlite3_vfs* vfs) { return layer_of(vfs).below; }

}  // namespace muhur::vault

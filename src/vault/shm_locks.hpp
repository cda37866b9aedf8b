#pragma once
// The eight locks of one WAL-index, kept in this process's memory. They take the place of the POSIX locks of
// SQLite's unix VFS, six system calls a commit and two a read, for as long as no other process can attach
// (vault/wal_guard.hpp). The rules are those of xShmLock. Private to the vault.

#include <array>
#include <cstdint>

#include "base/sync.hpp"

namespace muhur::vault {

class ShmLocks {
 public:
  // What one connection holds: a bit a slot. Belongs to the connection's thread.
  struct Held {
    std::uint32_t shared = 0;
    std::uint32_t exclusive = 0;
  };

  // As xShmLock: SQLITE_OK or, with nothing changed, SQLITE_BUSY. Never waits. Any thread.
  int apply(Held& held, int slot, int count, int flags);
  void release_all(Held& held);

 private:
  static constexpr int kSlots = 8;
  void release(Held& held, int slot) MUHUR_REQUIRES(mutex_);

  Mutex mutex_;
  std::array<int, kSlots> holders_ MUHUR_GUARDED_BY(mutex_){};  // of a shared lock; -1: one exclusive
};

}  // namespace muhur::vault

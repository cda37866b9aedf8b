#pragma once
// Keeps other programs from appending to a WAL whose checksums they cannot chain.
//
// SQLite keeps the last frame's checksum in the shared WAL-index, and a program that appends chains from
// there. After a commit through our VFS the value there is stock SQLite's, over plaintext: a SQLite3
// Multiple Ciphers that appended would break the chain, and its commit would vanish at the next recovery.
// So either nobody else is attached (alone), or the value is corrected at each commit
// (MainFile::publish_tail), which costs this connection its page cache.
//
// Alone means that this process holds an exclusive lock on the byte of the -shm file on which everybody who
// attaches takes a shared one. POSIX locks belong to a process and go when it closes ANY descriptor of the
// file, so there is one descriptor a WAL-index in this process, closed after the last connection has let
// go; callers hold mutex() around that and around the VFS's own shm_map and shm_unmap. Private to the vault.

#include <memory>
#include <string>

#include "base/sync.hpp"
#include "vault/shm_locks.hpp"

namespace muhur::vault {

class WalGuard {
 public:
  static Mutex& mutex();
  // Call after the VFS below has mapped `shm_path`, for every connection. The first one decides: if it does
  // not share, and no other process is attached, the locks are kept in memory. Null when the file cannot be
  // opened: the connection must not go on, it could not know of the others' locks.
  static std::shared_ptr<WalGuard> join(const std::string& shm_path, bool shares) MUHUR_REQUIRES(mutex());
  ~WalGuard();
  WalGuard(const WalGuard&) = delete;
  WalGuard& operator=(const WalGuard&) = delete;

  // Whether no other process is attached, and none can attach until all connections here have gone.
  bool alone();
  // The same, without trying to become it.
  bool is_alone() const { return alone_.load(std::memory_order_relaxed); }
  // Null: the locks are those of the VFS below.
  ShmLocks* locks() { return keeps_locks_ ? &locks_ : nullptr; }

 private:
  explicit WalGuard(int fd) : fd_(fd) {}
  const int fd_;
  std::atomic<bool> alone_ = false;
  bool keeps_locks_ = false;  // set before anybody else sees this
  ShmLocks locks_;
};

}  // namespace muhur::vault

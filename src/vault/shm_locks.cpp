#include "vault/shm_locks.hpp"

#include <sqlite3.h>

namespace muhur::vault {

int ShmLocks::apply(Held& held, int slot, int count, int flags) {
  if (slot < 0 || count < 1 || slot + count > kSlots) return SQLITE_MISUSE;
  const int end = slot + count;
  const Lock lock(mutex_);
  if (flags & SQLITE_SHM_UNLOCK) {
    for (int i = slot; i < end; ++i) release(held, i);
    return SQLITE_OK;
  }
  const bool shared = (flags & SQLITE_SHM_SHARED) != 0;
  for (int i = slot; i < end; ++i) {
    const std::uint32_t bit = 1u << i;
    if (shared ? holders_[i] < 0 : holders_[i] != 0 && !(held.exclusive & bit)) return SQLITE_BUSY;
  }
  for (int i = slot; i < end; ++i) {
    const std::uint32_t bit = 1u << i;
    if (!shared) {
      holders_[i] = -1;
      held.exclusive |= bit;
    } else if (!(held.shared & bit)) {
      ++holders_[i];
      held.shared |= bit;
    }
  }
  return SQLITE_OK;
}

void ShmLocks::release(Held& held, int slot) {
  const std::uint32_t bit = 1u << slot;
  if (held.exclusive & bit)
    holders_[slot] = 0;
  else if (held.shared & bit)
    --holders_[slot];
  held.exclusive &= ~bit;
  held.shared &= ~bit;
}

void ShmLocks::release_all(Held& held) {
  const Lock lock(mutex_);
  for (int i = 0; i < kSlots; ++i) release(held, i);
}

}  // namespace muhur::vault

#include "vault/wal_guard.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muhur::vault {
namespace {

constexpr off_t kAttachedByte = 128;  // UNIX_SHM_DMS of SQLite's os_unix.c

using Identity = std::pair<dev_t, ino_t>;
using Guards = std::map<Identity, std::weak_ptr<WalGuard>>;

Guards& guards() {
  static auto* const all = new Guards;
  return *all;
}

}  // namespace

Mutex& WalGuard::mutex() {
  static auto* const one = new Mutex;
  return *one;
}

std::shared_ptr<WalGuard> WalGuard::join(const std::string& shm_path, bool shares) {
  struct stat found;
  if (::stat(shm_path.c_str(), &found) != 0) return nullptr;
  Guards& all = guards();
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  auto& slot = all[{found.st_dev, found.st_ino}];
  if (auto existing = slot.lock()) return existing;
  const int fd = ::open(shm_path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  const std::shared_ptr<WalGuard> fresh(new WalGuard(fd));
  fresh->keeps_locks_ = !shares && fresh->alone();
  slot = fresh;
  return fresh;
}

WalGuard::~WalGuard() { ::close(fd_); }

bool WalGuard::alone() {
  if (is_alone()) return true;
  struct flock wanted = {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = kAttachedByte;
  wanted.l_len = 1;
  if (::fcntl(fd_, F_SETLK, &wanted) != 0) return false;
  alone_.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace muhur::vault

#include "server/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <fstream>

namespace muhur::server {

std::uint64_t machine_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  std::uint64_t memory = pages > 0 && size > 0
                             ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
                             : 1ULL << 30;
  // Seen from inside a container; "max", which is no number, means no limit.
  std::uint64_t limit = 0;
  if (std::ifstream in("/sys/fs/cgroup/memory.max"); in >> limit) memory = std::min(memory, limit);
  return memory;
}

std::int64_t cache_share_kib(std::uint64_t memory, std::size_t connections) {
  constexpr std::uint64_t kLeast = 512, kMost = 65'536;
  const std::uint64_t share = memory / 8 / 1024 / std::max<std::size_t>(connections, 1);
  return static_cast<std::int64_t>(std::bit_floor(std::clamp(share, kLeast, kMost)));
}

}  // namespace muhur::server

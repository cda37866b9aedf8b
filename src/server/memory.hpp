#pragma once
// How much memory there is to share out.

#include <cstddef>
#include <cstdint>

namespace muhur::server {

// Of the machine, or the limit of this process's control group where that is lower. Bytes.
std::uint64_t machine_memory();

// What each connection's page cache may take when an eighth of `memory` is shared out among `connections`:
// KiB, a power of two from 512 to 65,536, so that it changes seldom.
std::int64_t cache_share_kib(std::uint64_t memory, std::size_t connections);

}  // namespace muhur::server

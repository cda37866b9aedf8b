#pragma once
// Two connected Streams in memory, for tests of what speaks over one. Other test programs compile
// memory_stream.cpp as well.

#include <deque>

#include "net/stream.hpp"

namespace muhur::net {

struct MemoryOptions {
  std::size_t max_read = 64 * 1024;     // what one read_some gives at most: 1 tests a byte at a time
  std::size_t capacity = 1 << 20;       // bytes on their way before a write has to wait
  Peer peer{"192.0.2.7", 4711, false};  // what the second end sees
};

// Writes to one come out of the other. Both live on `executor`.
std::pair<StreamPtr, StreamPtr> memory_stream_pair(boost::asio::any_io_executor executor,
                                                   MemoryOptions options = {});

}  // namespace muhur::net

#pragma once
// Streams that we open ourselves: to a worker, to a relying party, to a server under test.

#include <filesystem>
#include <memory>
#include <string>

#include "net/tcp_stream.hpp"

namespace muhur::net {

struct ConnectOptions {
  std::string host;  // a name or a literal address
  std::uint16_t port = 0;
  TlsClientContext* tls = nullptr;            // null: plain
  std::chrono::milliseconds timeout{10'000};  // for all of it: name, connection, handshake
};

// The stream runs on the calling coroutine's executor, which has to be a strand or a single thread's, and
// comes back without deadline. Tries the addresses of the name in turn. timed_out, io, invalid.
Task<Result<StreamPtr>> connect(ConnectOptions options);
Task<Result<StreamPtr>> connect_unix(std::filesystem::path path);

}  // namespace muhur::net

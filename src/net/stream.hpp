#pragma once
// A byte stream to a peer: TCP, TLS, or a Unix socket. Protocol servers know nothing else of the network.
// One coroutine reads and one may write at the same time; all on the stream's own strand. A stream that is
// destroyed ends what is under way with closed.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace muhur::net {

template <class T = void>
using Task = boost::asio::awaitable<T>;

class TlsContext;

struct Peer {
  std::string address;  // "192.0.2.1", "::1", "unix"
  std::uint16_t port = 0;
  bool loopback = false;  // a loopback address or a Unix socket
};

class Stream {
 public:
  virtual ~Stream() = default;

  // At least one byte, or an error: closed at the peer's end of stream, timed_out after the deadline.
  virtual Task<Result<std::size_t>> read_some(MutableBytes into) = 0;
  // All of it, or an error. The bytes must live until it returns.
  virtual Task<Result<void>> write(ByteView bytes) = 0;
  // Every read and write that is under way or begins later fails with timed_out after this long, until it
  // is called again. Starts without deadline.
  virtual void expires_after(std::chrono::milliseconds time) = 0;
  // STARTTLS, as the server: the handshake on what was a plain stream; later calls are encrypted.
  // Whoever buffered plain bytes beyond the command has to refuse them first.
  virtual Task<Result<void>> start_tls(TlsContext& context) = 0;
  // Says goodbye where the protocol has one (TLS close_notify), then closes. Never fails.
  virtual Task<void> shutdown() = 0;
  // At once, from the stream's own executor; reads and writes under way end with closed.
  virtual void close() = 0;

  virtual bool secure() const = 0;  // encrypted by TLS
  virtual const Peer& peer() const = 0;
  virtual boost::asio::any_io_executor executor() = 0;
};

using StreamPtr = std::unique_ptr<Stream>;

}  // namespace muhur::net

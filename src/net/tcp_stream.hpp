#pragma once
// The Stream over a connected socket, TCP or Unix, plain or TLS. One implementation: a try on the socket,
// and where that would block a wait for it, bounded by the deadline.

#include <boost/asio/generic/stream_protocol.hpp>
#include <functional>

#include "net/stream.hpp"

namespace muhur::net {

class TlsClientContext;
using Socket = boost::asio::generic::stream_protocol::socket;

class TcpStream final : public Stream {
 public:
  // Takes over a connected socket; its executor (a strand) becomes the stream's.
  explicit TcpStream(Socket socket);
  ~TcpStream() override;

  Task<Result<std::size_t>> read_some(MutableBytes into) override;
  Task<Result<void>> write(ByteView bytes) override;
  void expires_after(std::chrono::milliseconds time) override;
  Task<Result<void>> start_tls(TlsContext& context) override;
  Task<void> shutdown() override;
  void close() override;
  bool secure() const override;
  const Peer& peer() const override;
  boost::asio::any_io_executor executor() override;

  // As a client: verifies the peer's certificate for `host`.
  Task<Result<void>> start_tls_as_client(TlsClientContext& context, std::string host);
  // Closes the stream from any thread and at any time, also when it is gone already.
  std::function<void()> closer() const;

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace muhur::net

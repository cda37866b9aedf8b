#pragma once
// How bytes get through a connected, non-blocking socket: plain, or in TLS records. Nothing here waits: a
// step is done, or says what the socket must become ready for before it is worth trying again. tcp_stream
// does the waiting, once for both. Private to net/.

#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace muhur::net {

class TlsClientContext;
class TlsContext;

enum class Want { nothing, read, write };

struct Step {
  Want want = Want::nothing;  // nothing: done
  std::size_t bytes = 0;      // that were read or written when done
};

class Transport {
 public:
  virtual ~Transport() = default;
  // closed at the peer's end of stream.
  virtual Result<Step> read(MutableBytes into) = 0;
  // May take a part only. After a Want the same bytes have to come again.
  virtual Result<Step> write(ByteView bytes) = 0;
  virtual Result<Step> handshake() = 0;
  // One try at saying goodbye.
  virtual void goodbye() = 0;
  virtual bool secure() const = 0;
};

// The socket stays its owner's.
std::unique_ptr<Transport> plain_transport(int socket);
Result<std::unique_ptr<Transport>> tls_server_transport(int socket, TlsContext& context);
// Verifies the peer's certificate for `host`, a name or a literal address.
Result<std::unique_ptr<Transport>> tls_client_transport(int socket, TlsClientContext& context,
                                                        const std::string& host);

}  // namespace muhur::net

#include "net/tcp_stream.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/transport.hpp"

namespace muhur::net {
namespace asio = boost::asio;
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

Peer peer_of(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  Peer peer{.address = "unix", .port = 0, .loopback = true};
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    peer = {.address = "unknown", .port = 0, .loopback = false};  // it went away already
    return peer;
  }
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    peer = {text, ntohs(v4.sin_port), (ntohl(v4.sin_addr.s_addr) >> 24) == 127};
  } else if (storage.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    peer = {text, ntohs(v6.sin6_port), IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0};
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
      peer.address = peer.address.substr(7);  // behind "::ffff:"
      peer.loopback = v6.sin6_addr.s6_addr[12] == 127;
    }
  }
  return peer;
}

}  // namespace

struct TcpStream::Core : std::enable_shared_from_this<Core> {
  explicit Core(Socket s) : socket(std::move(s)), timer(socket.get_executor()) {
    boost::system::error_code ignored;
    socket.native_non_blocking(true, ignored);
    peer = peer_of(socket.native_handle());
    const int on = 1;  // fails on a Unix socket, where it is not needed
    setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    transport = plain_transport(socket.native_handle());
  }

  Socket socket;
  asio::steady_timer timer;
  std::unique_ptr<Transport> transport;
  Peer peer;
  std::optional<SteadyTime> deadline;
  std::uint64_t timer_run = 0;  // counts arms, so that a cancelled wait is told from the last one
  bool armed = false;
  bool closed = false;
  bool half_written = false;  // a write was given up in its middle: what follows would be garbage
  int waiting = 0;
  unsigned without_wait = 0;

  bool expired() const { return deadline && std::chrono::steady_clock::now() >= *deadline; }

  // Moving a deadline out costs nothing: the timer that runs finds the new one when it fires.
  void arm() {
    if (!deadline || closed || (armed && timer.expiry() <= *deadline)) return;
    timer.expires_at(*deadline);
    armed = true;
    timer.async_wait([weak = weak_from_this(), run = ++timer_run](boost::system::error_code) {
      const auto core = weak.lock();
      if (!core || core->timer_run != run) return;
      core->armed = false;
      boost::system::error_code ignored;
      if (core->expired())
        core->socket.cancel(ignored);
      else if (core->waiting > 0)
        core->arm();
    });
  }

  Result<void> usable() const {
    if (closed) return fail(Code::closed, "the connection is closed");
    if (expired()) return fail(Code::timed_out, "the peer took too long");
    return {};
  }

  // A client that sends a literal and its line end apart (imaplib) holds the second back until the first is
  // acknowledged, and the kernel waits 40 ms for an answer of ours to send that along. There is none yet.
  void acknowledge() {
    const int on = 1;  // not kept by the kernel: for what has come so far
    setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
  }

  Task<Result<void>> wait(Want want) {
    boost::system::error_code error;
    if (want == Want::read) acknowledge();
    ++waiting;
    arm();
    without_wait = 0;
    co_await socket.async_wait(want == Want::read ? Socket::wait_read : Socket::wait_write,
                               asio::redirect_error(asio::use_awaitable, error));
    --waiting;
    if (closed) co_return fail(Code::closed, "the connection is closed");
    if (error == asio::error::operation_aborted) co_return fail(Code::timed_out, "the peer took too long");
    if (error) co_return fail(Code::io, "wait for a connection: " + error.message());
    co_return Result<void>();
  }

  // Tries `act` until it is done, waiting in between. `act` holds the Core: the stream may be destroyed while
  // an operation waits, which then ends with closed.
  template <class Act>
  Task<Result<std::size_t>> persist(Act act) {
    while (true) {
      MUHUR_CO_CHECK(usable());
      MUHUR_CO_TRY(const Step step, act());
      if (step.want == Want::nothing) {
        // A peer that sends as fast as we read must not keep the thread to itself.
        if (++without_wait % 64 == 0) co_await asio::post(socket.get_executor(), asio::use_awaitable);
        co_return step.bytes;
      }
      MUHUR_CO_CHECK(co_await wait(step.want));
    }
  }

  Task<Result<void>> handshake(Result<std::unique_ptr<Transport>> tls) {
    MUHUR_CO_CHECK(usable());
    if (!tls) co_return std::unexpected(std::move(tls).error());
    // In place before the handshake: where it fails nothing goes out in plain text any more.
    transport = std::move(*tls);
    MUHUR_CO_CHECK(co_await persist([self = shared_from_this()] { return self->transport->handshake(); }));
    co_return Result<void>();
  }

  void close() {
    if (closed) return;
    closed = true;
    boost::system::error_code ignored;
    timer.cancel();
    socket.close(ignored);
  }
};

TcpStream::TcpStream(Socket socket) : core_(std::make_shared<Core>(std::move(socket))) {}
TcpStream::~TcpStream() { core_->close(); }

Task<Result<std::size_t>> TcpStream::read_some(MutableBytes into) {
  return core_->persist([core = core_, into] { return core->transport->read(into); });
}

Task<Result<void>> TcpStream::write(ByteView bytes) {
  const auto core = core_;
  if (core->half_written) co_return fail(Code::closed, "an earlier write was given up in its middle");
  bool begun = false;
  while (!bytes.empty()) {
    const auto put = co_await core->persist([&] {
      begun = true;
      return core->transport->write(bytes);
    });
    if (!put) {
      core->half_written = begun;
      co_return std::unexpected(put.error());
    }
    bytes = bytes.subspan(*put);
  }
  co_return Result<void>();
}

void TcpStream::expires_after(std::chrono::milliseconds time) {
  constexpr std::chrono::hours kForever(24 * 365);
  if (time > kForever)
    core_->deadline.reset();
  else
    core_->deadline = std::chrono::steady_clock::now() + time;
  if (core_->waiting > 0) core_->arm();
}

Task<Result<void>> TcpStream::start_tls(TlsContext& context) {
  if (core_->closed) co_return fail(Code::closed, "the connection is closed");
  co_return co_await core_->handshake(tls_server_transport(core_->socket.native_handle(), context));
}

Task<Result<void>> TcpStream::start_tls_as_client(TlsClientContext& context, std::string host) {
  if (core_->closed) co_return fail(Code::closed, "the connection is closed");
  co_return co_await core_->handshake(tls_client_transport(core_->socket.native_handle(), context, host));
}

Task<void> TcpStream::shutdown() {
  if (core_->closed) co_return;
  const int socket = core_->socket.native_handle();
  core_->transport->goodbye();
  ::shutdown(socket, SHUT_WR);
  // Closing with bytes unread makes the kernel reset the connection, and the peer may lose our last reply.
  char dropped[4096];
  for (int i = 0; i < 64 && recv(socket, dropped, sizeof dropped, MSG_DONTWAIT) > 0;) ++i;
  core_->close();
}

void TcpStream::close() { core_->close(); }
bool TcpStream::secure() const { return core_->transport->secure(); }
const Peer& TcpStream::peer() const { return core_->peer; }
asio::any_io_executor TcpStream::executor() { return core_->socket.get_executor(); }

std::function<void()> TcpStream::closer() const {
  return [weak = std::weak_ptr<Core>(core_), executor = core_->socket.get_executor()] {
    asio::post(executor, [weak] {
      if (const auto core = weak.lock()) core->close();
    });
  };
}

}  // namespace muhur::net

#include "net/listener.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <netinet/in.h>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/sync.hpp"
#include "net/listening_socket.hpp"
#include "net/tcp_stream.hpp"

namespace muhur::net {
namespace asio = boost::asio;
namespace {

using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
constexpr std::chrono::hours kNoDeadline(24 * 366);

// Whom a cap counts: an IPv4 address, or the /64 that one IPv6 customer has; empty where none is counted.
std::string counted_as(const Peer& peer) {
  if (peer.loopback) return {};
  in6_addr address{};
  if (inet_pton(AF_INET6, peer.address.c_str(), &address) != 1) return peer.address;
  return std::string(reinterpret_cast<const char*>(&address), 8);
}

}  // namespace

struct Listener::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& context, ListenerOptions opts, Serve s, std::string r)
      : io(context),
        options(std::move(opts)),
        serve(std::move(s)),
        refusal(std::move(r)),
        acceptor(asio::make_strand(context)),
        timer(acceptor.get_executor()),
        now(metrics::gauge("muhur_connections", "Connections now",
                           fmt::format("listener=\"{}\"", options.name))),
        accepted(metrics::counter("muhur_connections_accepted_total", "Connections accepted",
                                  fmt::format("listener=\"{}\"", options.name))),
        refused(metrics::counter("muhur_connections_refused_total", "Connections over a cap",
                                 fmt::format("listener=\"{}\"", options.name))) {}

  asio::io_context& io;
  ListenerOptions options;
  Serve serve;
  std::string refusal;
  Acceptor acceptor;  // on its strand, with the timer
  asio::steady_timer timer;
  bool stopped = false;  // on the strand
  std::uint16_t port = 0;
  int family = AF_UNSPEC;
  metrics::Gauge& now;
  metrics::Counter &accepted, &refused;

  Mutex mutex;
  std::uint64_t next_id MUHUR_GUARDED_BY(mutex) = 0;
  std::unordered_map<std::uint64_t, std::function<void()>> closers MUHUR_GUARDED_BY(mutex);
  std::unordered_map<std::string, std::size_t> per_address MUHUR_GUARDED_BY(mutex);

  // Its place among the connections, given back when it goes.
  class Place {
   public:
    Place(std::shared_ptr<Impl> owner, std::uint64_t id, std::string who)
        : owner_(std::move(owner)), id_(id), who_(std::move(who)) {}
    Place(Place&&) noexcept = default;
    ~Place() {
      if (owner_) owner_->leave(id_, who_);
    }

   private:
    std::shared_ptr<Impl> owner_;
    std::uint64_t id_;
    std::string who_;
  };

  std::optional<Place> enter(const TcpStream& stream) {
    std::string who = counted_as(stream.peer());
    const Lock lock(mutex);
    if (closers.size() >= options.max_connections) return std::nullopt;
    if (!who.empty()) {
      auto& count = per_address[who];
      if (count >= options.max_per_address) return std::nullopt;
      ++count;
    }
    closers[++next_id] = stream.closer();
    now.add(1);
    return Place(shared_from_this(), next_id, std::move(who));
  }

  void leave(std::uint64_t id, const std::string& who) {
    const Lock lock(mutex);
    closers.erase(id);
    if (const auto at = per_address.find(who); at != per_address.end() && --at->second == 0)
      per_address.erase(at);
    now.add(-1);
  }

  Task<void> accept() {
    while (!stopped) {
      boost::system::error_code error;
      Socket socket(asio::make_strand(io));
      co_await acceptor.async_accept(socket, asio::redirect_error(asio::use_awaitable, error));
      if (!error) {  // also when we were stopped meanwhile: it is a connection, and dropping it would reset it
        begin(std::move(socket));
        continue;
      }
      if (stopped) break;
      // One connection that died in the queue: on with the next. Anything else (EMFILE, ENFILE, ENOBUFS …)
      // stays true for a while, and asking again at once would spin.
      if (error.value() == ECONNABORTED || error.value() == EPROTO || error.value() == EPERM) continue;
      log::warn("net", "cannot accept", {{"listener", options.name}, {"error", error.message()}});
      timer.expires_after(std::chrono::milliseconds(200));
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }

  // Who connected before we stop is served: what is left in the queue would be reset.
  void accept_waiting() {
    boost::system::error_code error;
    acceptor.native_non_blocking(true, error);
    for (int left = SOMAXCONN; !error && left > 0; --left) {
      const int fd = ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0 && (errno == EINTR || errno == ECONNABORTED || errno == EPROTO)) continue;
      if (fd < 0) return;
      Socket socket(asio::make_strand(io));
      socket.assign(asio::generic::stream_protocol(family, 0), fd, error);
      if (error)
        ::close(fd);
      else
        begin(std::move(socket));
    }
  }

  void begin(Socket socket) {
    accepted.add();
    const int fd = socket.native_handle();
    auto executor = socket.get_executor();
    auto stream = std::make_unique<TcpStream>(std::move(socket));
    auto place = enter(*stream);
    if (!place) {
      refused.add();
      // What a socket's buffer takes at once; nobody waits for a peer that is one too many.
      if (!options.implicit_tls && !refusal.empty())
        (void)!send(fd, refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::shutdown(fd, SHUT_WR);
      return;
    }
    asio::co_spawn(executor, run(shared_from_this(), std::move(stream), std::move(*place)), asio::detached);
  }

  static Task<void> run(std::shared_ptr<Impl> self, std::unique_ptr<TcpStream> stream, Place place) {
    const std::string peer = stream->peer().address;
    try {
      if (self->options.implicit_tls) {
        stream->expires_after(self->options.handshake_timeout);
        const auto shaken = co_await stream->start_tls(*self->options.implicit_tls);
        if (!shaken) {
          log::debug("net", "no TLS handshake",
                     {{"listener", self->options.name}, {"peer", peer}, {"error", shaken.error().what}});
          co_return;
        }
        stream->expires_after(kNoDeadline);
      }
      co_await self->serve(std::move(stream));
    } catch (const std::exception& error) {
      // Out of memory, or a bug: it ends this connection and no other.
      log::error("net", "a connection ended by an exception",
                 {{"listener", self->options.name}, {"peer", peer}, {"error", error.what()}});
    }
  }
};

Result<std::shared_ptr<Listener>> Listener::bind(asio::io_context& io, ListenerOptions options, Serve serve,
                                                 std::string refusal) {
  MUHUR_TRY(const int fd, listening_socket(options.address, options.unix_mode));
  auto impl = std::make_shared<Impl>(io, std::move(options), std::move(serve), std::move(refusal));
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
  if (storage.ss_family == AF_INET) impl->port = ntohs(reinterpret_cast<sockaddr_in&>(storage).sin_port);
  if (storage.ss_family == AF_INET6) impl->port = ntohs(reinterpret_cast<sockaddr_in6&>(storage).sin6_port);
  impl->family = storage.ss_family;
  boost::system::error_code error;
  impl->acceptor.assign(asio::generic::stream_protocol(impl->family, 0), fd, error);
  if (error) {
    ::close(fd);
    return fail(Code::io, fmt::format("listen on {}: {}", name_of(impl->options.address), error.message()));
  }
  return std::shared_ptr<Listener>(new Listener(std::move(impl)));
}

Listener::Listener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::~Listener() { stop(); }

void Listener::start() {
  asio::co_spawn(
      impl_->acceptor.get_executor(), [impl = impl_]() -> Task<void> { co_await impl->accept(); },
      asio::detached);
}

std::uint16_t Listener::port() const { return impl_->port; }

std::size_t Listener::connections() const {
  const Lock lock(impl_->mutex);
  return impl_->closers.size();
}

void Listener::set_caps(std::size_t max_connections, std::size_t max_per_address) {
  const Lock lock(impl_->mutex);
  impl_->options.max_connections = max_connections;
  impl_->options.max_per_address = max_per_address;
}

void Listener::stop() {
  asio::dispatch(impl_->acceptor.get_executor(), [impl = impl_] {
    if (std::exchange(impl->stopped, true)) return;
    boost::system::error_code ignored;
    impl->accept_waiting();
    impl->acceptor.close(ignored);
    impl->timer.cancel();
    if (const auto* path = std::get_if<std::filesystem::path>(&impl->options.address))
      ::unlink(path->c_str());
  });
}

void Listener::close_all() {
  const Lock lock(impl_->mutex);
  for (const auto& [id, close] : impl_->closers) close();
}

}  // namespace muhur::net

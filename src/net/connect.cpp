#include "net/connect.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace muhur::net {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

constexpr std::chrono::hours kNoDeadline(24 * 366);

}  // namespace

Task<Result<StreamPtr>> connect(ConnectOptions options) {
  const auto executor = co_await asio::this_coro::executor;
  const auto until = std::chrono::steady_clock::now() + options.timeout;
  const std::string where = fmt::format("{} port {}", options.host, options.port);
  tcp::resolver resolver(executor);
  tcp::socket socket(executor);
  // One timer ends whichever of the two is under way. It dies before them, with this frame.
  bool late = false;
  auto alive = std::make_shared<int>();
  asio::steady_timer timer(executor, until);
  timer.async_wait([&, weak = std::weak_ptr<int>(alive)](boost::system::error_code error) {
    if (error || weak.expired()) return;
    late = true;
    boost::system::error_code ignored;
    resolver.cancel();
    socket.close(ignored);
  });

  boost::system::error_code error;
  const auto found = co_await resolver.async_resolve(options.host, std::to_string(options.port),
                                                     asio::redirect_error(asio::use_awaitable, error));
  if (late) co_return fail(Code::timed_out, "no answer from " + where);
  if (error) co_return fail(Code::io, fmt::format("look up {}: {}", options.host, error.message()));
  error = asio::error::host_not_found;
  for (const auto& entry : found) {
    boost::system::error_code ignored;
    socket.close(ignored);
    co_await socket.async_connect(entry.endpoint(), asio::redirect_error(asio::use_awaitable, error));
    if (!error || late) break;
  }
  if (late) co_return fail(Code::timed_out, "no answer from " + where);
  if (error) co_return fail(Code::io, fmt::format("connect to {}: {}", where, error.message()));
  timer.cancel();
  alive.reset();

  auto stream = std::make_unique<TcpStream>(Socket(std::move(socket)));
  if (options.tls) {
    const auto left = until - std::chrono::steady_clock::now();
    stream->expires_after(std::chrono::duration_cast<std::chrono::milliseconds>(left));
    MUHUR_CO_CHECK(co_await stream->start_tls_as_client(*options.tls, options.host));
  }
  stream->expires_after(kNoDeadline);
  co_return StreamPtr(std::move(stream));
}

Task<Result<StreamPtr>> connect_unix(std::filesystem::path path) {
  asio::local::stream_protocol::socket socket(co_await asio::this_coro::executor);
  if (path.native().size() >= sizeof(sockaddr_un::sun_path))
    co_return fail(Code::invalid, fmt::format("{} is too long for the path of a socket", path.native()));
  boost::system::error_code error;
  co_await socket.async_connect(asio::local::stream_protocol::endpoint(path.native()),
                                asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return fail(Code::io, fmt::format("connect to {}: {}", path.native(), error.message()));
  co_return std::make_unique<TcpStream>(Socket(std::move(socket)));
}

}  // namespace muhur::net

#include "http/session.hpp"

#include <boost/asio/post.hpp>

#include "base/log.hpp"
#include "base/secret.hpp"
#include "http/cross_origin.hpp"
#include "http/route_meters.hpp"
#include "http/serialize.hpp"
#include "http/target.hpp"

namespace muhur::http {
namespace {

constexpr std::size_t kKeptBuffer = 64 * 1024;
// How long a stopping server waits for a request that may be on its way: closing at once would reset it.
constexpr std::chrono::milliseconds kLastRequest{250};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

Session::Session(std::shared_ptr<Shared> shared, net::StreamPtr stream)
    : shared_(std::move(shared)),
      stream_(std::move(stream)),
      reader_(*stream_),
      parser_({shared_->options.max_header, shared_->options.max_target}) {}

Session::~Session() {
  const Lock lock(shared_->mutex);
  shared_->sessions.erase(this);
}

net::Task<void> Session::run(std::shared_ptr<Session> self) {
  {
    const Lock lock(self->shared_->mutex);
    self->shared_->sessions.emplace(self.get(), self);
  }
  while (co_await self->one(self->served_ == 0) == Next::another) ++self->served_;
  co_await self->stream_->shutdown();
}

void Session::close_if_idle() {
  boost::asio::post(stream_->executor(), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->idle_) self->stream_->expires_after(kLastRequest);
  });
}

net::Task<Result<void>> Session::read_header(bool first) {
  const auto& options = shared_->options;
  stream_->expires_after(first ? options.header_timeout : options.idle_timeout);
  while (!reader_.has_buffered()) {
    if (shared_->draining) stream_->expires_after(kLastRequest);
    idle_ = true;
    const auto got = co_await reader_.more();
    idle_ = false;
    if (!got) {
      writing_ = false;  // nobody asked anything: nothing to answer
      co_return std::unexpected(got.error());
    }
    // RFC 9112 §2.2: an empty line before a request is let pass, once.
    if (!reader_.has_buffered()) continue;
  }
  stream_->expires_after(options.header_timeout);
  bool blank_passed = false;
  while (true) {
    std::string_view waiting = reader_.buffered();
    if (!blank_passed && waiting.starts_with("\r\n")) {
      blank_passed = true;
      reader_.consume(2);
      waiting = reader_.buffered();
    }
    if (!waiting.empty() && !(waiting == "\r" && !blank_passed)) {
      blank_passed = true;  // an empty line from now on is the header's end
      reader_.consume(parser_.feed(waiting));
      if (parser_.refused() != 0 || parser_.header_done()) co_return Result<void>();
    }
    MUHUR_CO_CHECK(co_await reader_.more());
  }
}

net::Task<Result<void>> Session::read_body() {
  stream_->expires_after(shared_->options.body_timeout);
  if (parser_.expects_continue() && !reader_.has_buffered())
    MUHUR_CO_CHECK(co_await stream_->write(as_bytes(kContinue)));
  while (true) {
    reader_.consume(parser_.feed(reader_.buffered()));
    if (parser_.done() || parser_.refused() != 0) co_return Result<void>();
    MUHUR_CO_CHECK(co_await reader_.more());
  }
}

net::Task<Session::Next> Session::one(bool first) {
  parser_.reset();
  meters_ = &RouteMeters::other();
  if (const auto read = co_await read_header(first); !read) {
    if (read.error().code == Code::timed_out && writing_) co_return co_await refuse(408);
    co_return Next::end;
  }
  if (parser_.refused() != 0) co_return co_await refuse(parser_.refused());

  Request& request = parser_.request();
  shared_->proxies.apply(request, stream_->peer(), stream_->secure());
  if (!shared_->knows_host(request.headers.get("Host").value_or(std::string_view{})))
    co_return co_await refuse(421);
  const Router::Match match = shared_->router.find(request.method, request.path);
  if (match.meters) meters_ = match.meters;
  parser_.allow_body(match.options.max_body);
  if (parser_.refused() != 0) co_return co_await refuse(parser_.refused());
  if (parser_.has_body()) {
    if (const auto read = co_await read_body(); !read) {
      if (read.error().code == Code::timed_out) co_return co_await refuse(408);
      co_return Next::end;
    }
    if (parser_.refused() != 0) co_return co_await refuse(parser_.refused());
  }

  const auto begun = std::chrono::steady_clock::now();
  // A conditional expression around co_await would be shorter, and is what compilers get wrong.
  Response response;
  if (match.handler)
    response = co_await handle(match);
  else
    response = answer_without_handler(match);
  if (match.options.cross_origin) allow_any_origin(response);
  meters_->took(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
  if (log::enabled(log::Level::debug))
    log::debug("http", request.method,
               {{"path", request.path}, {"status", response.status}, {"peer", request.peer.address}});
  if (!request.body.empty()) wipe({reinterpret_cast<Byte*>(request.body.data()), request.body.size()});
  const bool close =
      !parser_.keep_alive() || shared_->draining || served_ + 1 >= shared_->options.max_requests;
  co_return co_await send(std::move(response), close);
}

net::Task<Response> Session::handle(const Router::Match& match) {
  try {
    co_return co_await (*match.handler)(parser_.request(), match.parameters);
  } catch (const std::exception& error) {
    log::error("http", "a handler threw", {{"path", parser_.request().path}, {"what", error.what()}});
  } catch (...) {
    log::error("http", "a handler threw", {{"path", parser_.request().path}});
  }
  co_return shared_->refusal(parser_.request(), 500);
}

Response Session::answer_without_handler(const Router::Match& match) {
  const Request& request = parser_.request();
  if (request.method == "OPTIONS" && (request.path == "*" || match.status == 405)) return preflight(match);
  Response response = shared_->refusal(request, match.status);
  if (match.status == 405) response.headers.set("Allow", match.allow);
  return response;
}

Response Session::preflight(const Router::Match& match) {
  const Request& request = parser_.request();
  Response response;
  response.status = 204;
  if (!match.allow.empty()) response.headers.add("Allow", match.allow);
  const auto method = request.headers.get("Access-Control-Request-Method");
  if (!method) return response;
  const Router::Match asked = shared_->router.find(*method, request.path);
  if (asked.handler && asked.options.cross_origin) allow_preflight(response, match.allow);
  return response;
}

// The answer to what cannot be read, and the end: nobody knows where the next request would begin.
net::Task<Session::Next> Session::refuse(int status) {
  co_return co_await send(shared_->refusal(parser_.request(), status), true);
}

net::Task<Session::Next> Session::send(Response response, bool close) {
  meters_->answered(response.status);
  if (shared_->options.finish) shared_->options.finish(response);
  out_.clear();
  const bool to_head = parser_.request().method == "HEAD";
  serialize(response, {.to_head = to_head, .close = close, .keep_alive = !close && parser_.http_1_0()}, out_);
  stream_->expires_after(shared_->options.write_timeout);
  const auto sent = co_await stream_->write(as_bytes(out_));
  if (out_.capacity() > kKeptBuffer) out_ = std::string();
  co_return sent && !close ? Next::another : Next::end;
}

}  // namespace muhur::http

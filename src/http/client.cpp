#include "http/client.hpp"

#include <openssl/ssl.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>

#include "http/connection_pool.hpp"
#include "http/parser.hpp"
#include "http/serialize.hpp"
#include "net/connect.hpp"
#include "net/line_reader.hpp"
#include "net/tls_context.hpp"

namespace muhur::http {
namespace asio = boost::asio;
namespace {

using Time = std::chrono::steady_clock::time_point;

std::chrono::milliseconds left_until(Time deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
}

std::string host_field(const Url& url) {
  std::string host = url.host.contains(':') ? "[" + url.host + "]" : url.host;
  if (url.port != (url.scheme == "https" ? "443" : "80")) host += ":" + url.port;
  return host;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F && c != ':'; });
}

}  // namespace

struct Client::Impl {
  asio::any_io_executor executor;
  ClientOptions options;
  ConnectionPool pool;
  Mutex mutex;
  std::unique_ptr<net::TlsClientContext> tls MUHUR_GUARDED_BY(mutex);

  Impl(asio::any_io_executor e, ClientOptions o)
      : executor(std::move(e)), options(std::move(o)), pool(options.max_idle_per_host, options.keep_idle) {}

  // Made when it is first needed: reading the system's authorities takes tens of milliseconds.
  Result<net::TlsClientContext*> tls_context() {
    const Lock lock(mutex);
    if (!tls) {
      MUHUR_TRY(tls, net::TlsClientContext::create(options.ca_file));
      if (!options.verify) SSL_CTX_set_verify(tls->current()->native_handle(), SSL_VERIFY_NONE, nullptr);
    }
    return tls.get();
  }

  struct Call {
    Url url;
    std::string key;  // of the pool
    std::string wire;
    bool to_head = false;
    Time deadline;
  };
  struct Outcome {
    Result<Response> response;
    bool untouched = false;  // failed before the peer showed any sign of having read it
  };

  net::Task<Result<net::StreamPtr>> open(const Call& call) {
    net::ConnectOptions to{.host = call.url.host};
    std::from_chars(call.url.port.data(), call.url.port.data() + call.url.port.size(), to.port);
    to.timeout = std::min(options.connect_timeout, left_until(call.deadline));
    if (to.timeout.count() <= 0) co_return fail(Code::timed_out, "no time left to connect");
    if (call.url.scheme == "https") {
      MUHUR_CO_TRY(to.tls, tls_context());
    }
    co_return co_await net::connect(std::move(to));
  }

  // One request and its answer on `stream`. Runs on the stream's executor.
  static net::Task<Outcome> exchange(std::shared_ptr<Impl> self, const Call& call, net::StreamPtr stream) {
    const auto time = left_until(call.deadline);
    if (time.count() <= 0) co_return Outcome{fail(Code::timed_out, "no time left for the request")};
    stream->expires_after(time);
    ResponseParser parser(self->options.max_body, call.to_head);
    net::LineReader reader(*stream);
    bool heard = false;
    if (const auto sent = co_await stream->write(as_bytes(call.wire)); !sent)
      co_return Outcome{std::unexpected(sent.error()), sent.error().code != Code::timed_out};
    while (!parser.done()) {
      const auto more = co_await reader.more();
      if (!more && more.error().code == Code::closed && heard) parser.feed_end();
      if (!more && !parser.done()) {
        const bool again = !heard && more.error().code != Code::timed_out;
        co_return Outcome{std::unexpected(more.error()), again};
      }
      heard = true;
      reader.consume(parser.feed(reader.buffered()));
      if (parser.over_limit())
        co_return Outcome{fail(Code::limit, "the answer of " + call.url.host + " is too large")};
      if (parser.failed())
        co_return Outcome{fail(Code::io, "the answer of " + call.url.host + " is not HTTP")};
    }
    if (parser.keep_alive() && !reader.has_buffered()) self->pool.give(call.key, std::move(stream));
    co_return Outcome{std::move(parser.response())};
  }

  static net::Task<Outcome> on_new(std::shared_ptr<Impl> self, const Call& call) {
    auto stream = co_await self->open(call);
    if (!stream) co_return Outcome{std::unexpected(std::move(stream).error())};
    co_return co_await exchange(self, call, std::move(*stream));
  }
};

Client::Client(asio::any_io_executor executor, ClientOptions options)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options))) {}
Client::~Client() = default;

net::Task<Result<Response>> Client::send(std::string method, std::string url, Headers headers,
                                         std::string body, std::chrono::milliseconds deadline,
                                         bool idempotent) {
  // The Client may go while we wait.
  const auto self = impl_;
  Impl::Call call;
  call.deadline = std::chrono::steady_clock::now() + deadline;
  MUHUR_CO_TRY(call.url, Url::parse(url));
  if (!is_token(method)) co_return fail(Code::invalid, "not a method");
  call.key = fmt::format("{}://{}:{}", call.url.scheme, call.url.host, call.url.port);
  call.to_head = method == "HEAD";
  serialize_request(method, host_field(call.url), call.url.target, headers, body, call.wire);

  // Each connection has a strand of its own, on which all that is done with it runs.
  if (auto pooled = self->pool.take(call.key)) {
    const auto strand = pooled->executor();
    auto outcome =
        co_await asio::co_spawn(strand, Impl::exchange(self, call, std::move(pooled)), asio::use_awaitable);
    if (outcome.response || !outcome.untouched || !idempotent) co_return std::move(outcome.response);
  }
  const asio::any_io_executor strand = asio::make_strand(self->executor);
  auto outcome = co_await asio::co_spawn(strand, Impl::on_new(self, call), asio::use_awaitable);
  co_return std::move(outcome.response);
}

}  // namespace muhur::http

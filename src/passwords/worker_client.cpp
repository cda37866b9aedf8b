#include "passwords/worker_client.hpp"

#include "base/clock.hpp"

namespace muhur::passwords {
namespace {

constexpr std::chrono::milliseconds kConnectTimeout{2'000};
constexpr std::size_t kMaxReply = 4 * 1024;
constexpr std::size_t kIdleConnections = 64;

template <class T>
using Decode = Result<Answer<T>> (*)(ByteView);

CallError failed(Failure kind, Error error) { return {kind, std::move(error)}; }

Failure kind_of_sending(Code code) { return code == Code::timed_out ? Failure::hung : Failure::unreachable; }

// Of an error that the worker itself tells.
Failure kind_of_answer(Code code) {
  switch (code) {
    case Code::busy:
    case Code::closed:
    case Code::timed_out:
      return Failure::busy;
    case Code::denied:
      return Failure::untrusted;  // the clocks are apart
    case Code::invalid:
    case Code::limit:
    case Code::unsupported:
      return Failure::refused;
    default:
      return Failure::unreachable;
  }
}

// What the worker may take: less than we wait, so that it can tell us that it is too busy.
std::chrono::milliseconds for_worker(std::chrono::milliseconds limit) { return limit * 3 / 4; }

}  // namespace

struct WorkerClient::Impl {
  std::string url;
  std::shared_ptr<const Wire> wire;
  http::Client client;

  template <class T>
  net::Task<CallResult<T>> call(std::string_view path, Secret plain, std::chrono::milliseconds limit,
                                Decode<T> decode) {
    const SealedRequest request = wire->seal_request(path, plain, Clock::system().now_ms());
    plain.wipe();
    http::Headers headers;
    headers.set("Content-Type", "application/octet-stream");
    headers.set(std::string(kTimeField), request.time);
    headers.set(std::string(kNonceField), request.nonce);
    headers.set(std::string(kMacField), request.mac);
    // Idempotent for the client: a connection that turns out dead before any reply may be replaced. Should
    // the worker have seen the request all the same, it refuses the second.
    auto response =
        co_await client.send("POST", url + std::string(path), std::move(headers), request.body, limit, true);
    if (!response) {
      const Failure kind = kind_of_sending(response.error().code);
      co_return std::unexpected(failed(kind, std::move(response).error()));
    }
    const std::string_view mac = response->headers.get(kMacField).value_or(std::string_view{});
    auto opened = wire->open_reply(request.nonce, response->status, mac, response->body);
    if (!opened) {
      // Without its signature nothing in a reply counts. 401 is how a worker with another secret answers; a
      // proxy in between says 5xx when the worker is gone.
      const bool gone = mac.empty() && response->status >= 500;
      co_return std::unexpected(failed(gone ? Failure::unreachable : Failure::untrusted, opened.error()));
    }
    auto answer = decode(opened->view());
    if (!answer) co_return std::unexpected(failed(Failure::untrusted, std::move(answer).error()));
    if (answer->error)
      co_return std::unexpected(failed(kind_of_answer(answer->error->code), std::move(*answer->error)));
    co_return std::move(answer->value);
  }
};

Result<std::unique_ptr<WorkerClient>> WorkerClient::create(boost::asio::any_io_executor executor,
                                                           std::string url, std::shared_ptr<const Wire> wire,
                                                           std::string ca_file) {
  while (url.ends_with('/')) url.pop_back();
  MUHUR_TRY(const http::Url parsed, http::Url::parse(url));
  if (parsed.scheme != "http" && parsed.scheme != "https")
    return fail(Code::invalid, "a worker's URL has to begin with http:// or https://");
  http::ClientOptions options;
  options.connect_timeout = kConnectTimeout;
  options.max_body = kMaxReply;
  options.max_idle_per_host = kIdleConnections;
  options.ca_file = std::move(ca_file);
  auto impl = std::unique_ptr<Impl>(
      new Impl{std::move(url), std::move(wire), http::Client(std::move(executor), std::move(options))});
  return std::unique_ptr<WorkerClient>(new WorkerClient(std::move(impl)));
}

WorkerClient::WorkerClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WorkerClient::~WorkerClient() = default;
const std::string& WorkerClient::url() const { return impl_->url; }

net::Task<CallResult<Verdict>> WorkerClient::verify(const Secret& password, const std::string& record,
                                                    std::chrono::milliseconds limit) {
  const VerifyCall call{for_worker(limit), record, password.copy()};
  return impl_->call<Verdict>(kVerifyPath, encode(call), limit, decode_verdict);
}

net::Task<CallResult<std::string>> WorkerClient::hash(const Secret& password, crypto::Argon2Cost cost,
                                                      std::chrono::milliseconds limit) {
  const HashCall call{for_worker(limit), cost, password.copy()};
  return impl_->call<std::string>(kHashPath, encode(call), limit, decode_text);
}

net::Task<CallResult<Health>> WorkerClient::health(std::chrono::milliseconds limit) {
  return impl_->call<Health>(kHealthPath, encode_health_call(), limit, decode_health);
}

}  // namespace muhur::passwords

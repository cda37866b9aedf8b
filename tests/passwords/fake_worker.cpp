#include "passwords/fake_worker.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

#include "base/sync.hpp"
#include "passwords/messages.hpp"
#include "passwords/wire.hpp"

namespace muhur::passwords {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kSlow{150};

Secret yes() { return encode(Verdict{true, {}}); }

}  // namespace

Engine::Engine() : io_(2), guard_(asio::make_work_guard(io_)) {
  for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { io_.run(); });
}

void Engine::stop() {
  io_.stop();
  threads_.clear();
}

struct FakeWorker::Impl : std::enable_shared_from_this<Impl> {
  Impl(Engine& e, const Secret& shared)
      : engine(e), pool({.threads = 1, .max_waiting = 1'000, .nice = 0}), worker(pool, shared) {
    worker.add_routes(honest);
  }

  Engine& engine;
  HashPool pool;
  Worker worker;
  http::Router honest;
  http::Router router;
  const Wire stranger{Secret::random(32)};
  std::atomic<Habit> habit{Habit::honest};
  std::atomic<bool> also_health{false};
  std::atomic<std::size_t> calls{0}, checks{0};
  std::unique_ptr<http::Server> server;
  std::shared_ptr<net::Listener> listener;
  std::uint16_t port = 0;
  Mutex mutex;
  std::optional<http::Response> earlier MUHUR_GUARDED_BY(mutex);

  void listen() {
    net::ListenerOptions options;
    options.name = "worker";
    options.address = net::TcpAddress{"127.0.0.1", port};
    auto bound =
        net::Listener::bind(engine.io(), options, [self = shared_from_this()](net::StreamPtr stream) {
          return self->server->serve(std::move(stream));
        });
    if (!bound) throw std::runtime_error(bound.error().text());
    listener = *bound;
    port = listener->port();
    listener->start();
  }

  net::Task<http::Response> honestly(http::Request& request) {
    const auto match = honest.find("POST", request.path);
    co_return co_await (*match.handler)(request, match.parameters);
  }

  http::Response replay_of(const http::Response& genuine) {
    const Lock lock(mutex);
    if (!earlier) earlier = genuine;
    return *earlier;
  }

  net::Task<http::Response> answer(http::Request& request) {
    const bool is_health = request.path == kHealthPath;
    ++(is_health ? checks : calls);
    const Habit now = is_health && !also_health ? Habit::honest : habit.load();
    const std::string nonce(request.headers.get(kNonceField).value_or(""));
    asio::steady_timer timer(co_await asio::this_coro::executor);
    switch (now) {
      case Habit::honest:
        co_return co_await honestly(request);
      case Habit::hangs:
        timer.expires_after(std::chrono::hours(1));
        co_await timer.async_wait(asio::use_awaitable);
        co_return http::Response::text(500, "");
      case Habit::slow:
        timer.expires_after(kSlow);
        co_await timer.async_wait(asio::use_awaitable);
        co_return co_await honestly(request);
      case Habit::lies: {
        const SealedReply reply = stranger.seal_reply(nonce, 200, yes());
        co_return http::Response::text(200, reply.body).with(std::string(kMacField), reply.mac);
      }
      case Habit::forges: {
        http::Response response = co_await honestly(request);
        response.body = stranger.seal_reply(nonce, 200, yes()).body;
        co_return response;
      }
      case Habit::replays:
        co_return replay_of(co_await honestly(request));
      case Habit::no_reason:
        co_return http::Response::text(200, to_string(yes().view()));
    }
    co_return http::Response::text(500, "");
  }
};

FakeWorker::FakeWorker(Engine& engine, const Secret& shared, Habit habit)
    : impl_(std::make_shared<Impl>(engine, shared)) {
  impl_->habit = habit;
  for (const std::string_view path : {kVerifyPath, kHashPath, kHealthPath})
    impl_->router.add("POST", path, [impl = impl_.get()](http::Request& request, const http::Parameters&) {
      return impl->answer(request);
    });
  impl_->server = std::make_unique<http::Server>(impl_->router, http::ServerOptions{});
  impl_->listen();
}

FakeWorker::~FakeWorker() { kill(); }

std::string FakeWorker::url() const { return "http://127.0.0.1:" + std::to_string(impl_->port); }

void FakeWorker::set(Habit habit, bool also_health) {
  impl_->habit = habit;
  impl_->also_health = also_health;
}

void FakeWorker::kill() {
  if (!impl_->listener) return;
  impl_->listener->stop();
  impl_->listener->close_all();
  impl_->listener.reset();
}

void FakeWorker::revive() { impl_->listen(); }
std::size_t FakeWorker::calls() const { return impl_->calls; }
std::size_t FakeWorker::checks() const { return impl_->checks; }
std::size_t FakeWorker::hashed() const { return impl_->pool.figures().done; }

}  // namespace muhur::passwords

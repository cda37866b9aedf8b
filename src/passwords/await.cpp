#include "passwords/await.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace muhur::passwords {
namespace asio = boost::asio;
namespace {

// Suspends until start(done) has called done(result), once, on whatever thread.
template <class T, class Start>
net::Task<Result<T>> wait_for(Start start) {
  // Tracked work: the io_context does not run dry while its coroutine is away on the pool.
  const auto back =
      asio::prefer(co_await asio::this_coro::executor, asio::execution::outstanding_work.tracked);
  Result<T> result;
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [&](auto handler) {
        // std::function wants to be copyable, the handler is not: it travels behind a shared pointer.
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        start([&result, back, resume](Result<T> got) {
          result = std::move(got);
          asio::post(back, [resume] { std::move (*resume)(); });
        });
      },
      asio::use_awaitable);
  co_return result;
}

}  // namespace

net::Task<Result<Verdict>> verify_on(HashPool& pool, Secret password, Record record,
                                     std::chrono::steady_clock::time_point deadline) {
  co_return co_await wait_for<Verdict>(
      [&](auto done) { pool.verify(std::move(password), std::move(record), deadline, std::move(done)); });
}

net::Task<Result<std::string>> hash_on(HashPool& pool, Secret password, crypto::Argon2Cost cost,
                                       std::chrono::steady_clock::time_point deadline) {
  co_return co_await wait_for<std::string>(
      [&](auto done) { pool.hash(std::move(password), cost, deadline, std::move(done)); });
}

}  // namespace muhur::passwords

#pragma once
// co_await for writers and readers: the one file of the vault that knows Asio. The coroutine is suspended
// while the work runs elsewhere and goes on upon its own executor, so the work may refer to its locals.
//
//   MUHUR_CO_CHECK(co_await vault::write(*db, [&](Connection& c) { return c.run(sql, id); }));
//   MUHUR_CO_TRY(auto n, co_await vault::read(*db, on_storage, [&](Connection& c) { return count(c); }));

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "vault/database.hpp"

namespace muhur::vault {

namespace detail {

// Starts `start(finish)` and suspends until finish() is called, once, on any thread.
template <class Start>
boost::asio::awaitable<void> suspend(Start start) {
  const auto back = co_await boost::asio::this_coro::executor;
  co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
      [&](auto handler) {
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        start([back, shared] { boost::asio::post(back, [shared] { std::move (*shared)(); }); });
      },
      boost::asio::use_awaitable);
}

}  // namespace detail

// f(Connection&) -> Result<T> as a work of the group-commit writer; what comes back is durable. The
// database must live until then: the caller holds it.
template <class F>
auto write(Database& database, F f) -> boost::asio::awaitable<std::invoke_result_t<F&, Connection&>> {
  using R = std::invoke_result_t<F&, Connection&>;
  using T = typename R::value_type;
  Result<void> committed;
  if constexpr (std::is_void_v<T>) {
    co_await detail::suspend([&](const auto& finish) {
      database.write_async([&](Connection& c) -> Result<void> { return f(c); },
                           [&, finish](Result<void> got) {
                             committed = std::move(got);
                             finish();
                           });
    });
    co_return committed;
  } else {
    std::optional<T> value;
    co_await detail::suspend([&](const auto& finish) {
      database.write_async(
          [&](Connection& c) -> Result<void> {
            R got = f(c);
            if (!got) return std::unexpected(std::move(got).error());
            value.emplace(std::move(*got));
            return {};
          },
          [&, finish](Result<void> got) {
            committed = std::move(got);
            finish();
          });
    });
    if (!committed) co_return std::unexpected(std::move(committed).error());
    co_return std::move(*value);
  }
}

// f(Connection&) -> Result<T> on a reader's snapshot, run by `executor` (it posts to a thread that may
// block). An exception of f is an internal error.
template <class F>
auto read(Database& database, Executor executor, F f)
    -> boost::asio::awaitable<std::invoke_result_t<F&, Connection&>> {
  std::optional<std::invoke_result_t<F&, Connection&>> result;
  co_await detail::suspend([&](const auto& finish) {
    executor([&, finish] {
      try {
        result.emplace(database.read(f));
      } catch (const std::exception& error) {
        result.emplace(fail(Code::internal, std::string("a read threw: ") + error.what()));
      }
      finish();
    });
  });
  co_return std::move(*result);
}

}  // namespace muhur::vault

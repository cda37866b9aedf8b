#pragma once
// Named pools of threads where work may block: SQLite, hashing, DNS. A coroutine that needs one says so:
//   auto rows = co_await on(pools.storage, [&] { return mailbox.list(); });
// and goes on upon its own executor afterwards. The lambda runs on a pool thread while the coroutine is
// suspended, so it may refer to the coroutine's locals.
//
// A pool goes before the io_context whose coroutines wait for it: its destructor still resumes them.

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "net/stream.hpp"

namespace muhur::net {

class Pool {
 public:
  // nice > 0 lowers the threads' priority so that they never delay anything else.
  Pool(std::string name, std::size_t threads, int nice = 0);
  ~Pool();  // runs what was posted, then joins
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  // A job must not throw.
  void post(std::function<void()> job);
  std::size_t waiting() const;  // posted and not begun
  const std::string& name() const;
  std::size_t threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

namespace detail {
// Suspends the calling coroutine, runs `job` (which must not throw) on the pool, resumes the coroutine.
Task<void> hop(Pool& pool, std::function<void()> job);
}  // namespace detail

// Runs f on the pool and resumes the calling coroutine on its own executor with what f returned.
// An exception of f is rethrown there.
template <class F>
Task<std::invoke_result_t<F&>> on(Pool& pool, F f) {
  using R = std::invoke_result_t<F&>;
  std::exception_ptr error;
  if constexpr (std::is_void_v<R>) {
    co_await detail::hop(pool, [&] {
      try {
        f();
      } catch (...) {
        error = std::current_exception();
      }
    });
    if (error) std::rethrow_exception(error);
  } else {
    std::optional<R> value;
    co_await detail::hop(pool, [&] {
      try {
        value.emplace(f());
      } catch (...) {
        error = std::current_exception();
      }
    });
    if (error) std::rethrow_exception(error);
    co_return std::move(*value);
  }
}

// The pools that the server has. Sized by configuration.
struct Pools {
  Pool storage{"storage", 8};
  Pool passwords{"passwords", 2, 10};
  Pool heavy{"heavy", 2, 10};  // maintenance, VACUUM, backup
};

}  // namespace muhur::net

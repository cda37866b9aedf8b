#include "net/pools.hpp"

#include <pthread.h>

#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <thread>
#include <vector>

#include "base/priority.hpp"
#include "base/sync.hpp"

namespace muhur::net {

struct Pool::Impl {
  std::string name;
  int nice = 0;
  mutable Mutex mutex;
  Condition wake;
  std::deque<std::function<void()>> jobs MUHUR_GUARDED_BY(mutex);
  bool ending MUHUR_GUARDED_BY(mutex) = false;
  std::vector<std::thread> threads;

  void work() {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    if (nice > 0) lower_thread_priority(nice);
    while (std::function<void()> job = next()) job();
  }

  // The next job; empty when the pool ends and nothing is left.
  std::function<void()> next() {
    Lock lock(mutex);
    wake.wait(lock, [&]() MUHUR_REQUIRES(mutex) { return ending || !jobs.empty(); });
    if (jobs.empty()) return {};
    auto job = std::move(jobs.front());
    jobs.pop_front();
    return job;
  }
};

Pool::Pool(std::string name, std::size_t threads, int nice) : impl_(std::make_unique<Impl>()) {
  impl_->name = std::move(name);
  impl_->nice = nice;
  for (std::size_t i = 0; i < std::max<std::size_t>(threads, 1); ++i)
    impl_->threads.emplace_back([impl = impl_.get()] { impl->work(); });
}

Pool::~Pool() {
  {
    const Lock lock(impl_->mutex);
    impl_->ending = true;
  }
  impl_->wake.notify_all();
  for (auto& thread : impl_->threads) thread.join();
}

void Pool::post(std::function<void()> job) {
  {
    const Lock lock(impl_->mutex);
    impl_->jobs.push_back(std::move(job));
  }
  impl_->wake.notify_one();
}

std::size_t Pool::waiting() const {
  const Lock lock(impl_->mutex);
  return impl_->jobs.size();
}

const std::string& Pool::name() const { return impl_->name; }
std::size_t Pool::threads() const { return impl_->threads.size(); }

namespace detail {

Task<void> hop(Pool& pool, std::function<void()> job) {
  namespace asio = boost::asio;
  // Tracked work: the io_context does not run dry while its coroutine is away on the pool.
  const auto executor =
      asio::prefer(co_await asio::this_coro::executor, asio::execution::outstanding_work.tracked);
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [&](auto handler) {
        // std::function wants to be copyable, the handler is not: it travels behind a shared pointer.
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        pool.post([&job, executor, resume = std::move(resume)]() mutable {
          job();
          // From here on the coroutine may run and its frame, `job` with it, be gone.
          asio::post(executor, [resume = std::move(resume)] { std::move (*resume)(); });
        });
      },
      asio::use_awaitable);
}

}  // namespace detail
}  // namespace muhur::net

#include "server/scheduler.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <list>

#include "base/log.hpp"
#include "base/sync.hpp"

namespace muhur::server {

struct Scheduler::Impl : std::enable_shared_from_this<Impl> {
  explicit Impl(boost::asio::io_context& context) : io(context), strand(boost::asio::make_strand(context)) {}
  boost::asio::io_context& io;
  boost::asio::strand<boost::asio::io_context::executor_type> strand;  // guards what follows
  std::list<boost::asio::steady_timer> timers;
  bool stopped = false;

  // Jobs run on pools that may outlive what the jobs work on.
  Mutex mutex;
  Condition ended;
  std::size_t running MUHUR_GUARDED_BY(mutex) = 0;
  bool over MUHUR_GUARDED_BY(mutex) = false;

  void run(const std::function<void()>& job) {
    {
      const Lock lock(mutex);
      if (over) return;
      ++running;
    }
    job();
    const Lock lock(mutex);
    --running;
    ended.notify_all();
  }
  void finish() {
    Lock lock(mutex);
    over = true;
    ended.wait(lock, [this] MUHUR_NO_TSA { return running == 0; });
  }
};

Scheduler::Scheduler(boost::asio::io_context& io) : impl_(std::make_shared<Impl>(io)) {}
Scheduler::~Scheduler() {
  stop();
  impl_->finish();
}

void Scheduler::every(Millis period, std::string name, net::Pool& pool, std::function<void()> job) {
  auto run = [](std::shared_ptr<Impl> impl, Millis every, std::string what, net::Pool& on_pool,
                std::function<void()> work) -> net::Task<void> {
    const auto timer = impl->timers.emplace(impl->timers.end(), impl->strand);
    while (!impl->stopped) {
      boost::system::error_code error;
      timer->expires_after(every);
      co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
      if (impl->stopped || error) break;
      log::debug("scheduler", "runs", {{"job", what}});
      co_await net::on(on_pool, [&] { impl->run(work); });
    }
    impl->timers.erase(timer);
  };
  boost::asio::co_spawn(impl_->strand, run(impl_, period, std::move(name), pool, std::move(job)),
                        boost::asio::detached);
}

void Scheduler::once(net::Pool& pool, std::function<void()> job) {
  pool.post([impl = impl_, work = std::move(job)] { impl->run(work); });
}

void Scheduler::stop() {
  boost::asio::post(impl_->strand, [impl = impl_] {
    impl->stopped = true;
    for (auto& timer : impl->timers) timer.cancel();
  });
}

}  // namespace muhur::server

#pragma once
// What the server does by the clock: each job on a pool where it may block, never twice at the same time,
// the first run one period after the start.

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "net/pools.hpp"

namespace muhur::server {

class Scheduler {
 public:
  explicit Scheduler(boost::asio::io_context& io);
  ~Scheduler();  // stop(), and waits for the jobs that are running
  // Before or after start; `job` must not throw.
  void every(Millis period, std::string name, net::Pool& pool, std::function<void()> job);
  // At once, and not again.
  void once(net::Pool& pool, std::function<void()> job);
  // No further runs. A job that is running ends by itself.
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace muhur::server

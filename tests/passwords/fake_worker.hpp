#pragma once
// Workers over loopback in the test's own process: honest ones, and those with a bad habit.

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/secret.hpp"
#include "http/server.hpp"
#include "net/listener.hpp"
#include "passwords/worker.hpp"

namespace muhur::passwords {

// An io_context with two threads of its own.
class Engine {
 public:
  Engine();
  ~Engine() { stop(); }
  boost::asio::io_context& io() { return io_; }
  // Runs a coroutine on a strand of its own, to its end.
  template <class T>
  T await(net::Task<T> task) {
    namespace asio = boost::asio;
    return asio::co_spawn(asio::make_strand(io_), std::move(task), asio::use_future).get();
  }
  void stop();

 private:
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::vector<std::jthread> threads_;
};

enum class Habit {
  honest,
  hangs,      // takes the request and never answers
  slow,       // answers rightly after a while
  lies,       // says yes to everything, signed with another secret
  forges,     // says yes to everything: the honest reply with its body replaced
  replays,    // says yes with the honest reply to an earlier request
  no_reason,  // an unsigned 200
};

class FakeWorker {
 public:
  FakeWorker(Engine& engine, const Secret& shared, Habit habit = Habit::honest);
  ~FakeWorker();
  std::string url() const;
  // Of verifying and hashing; health checks are answered honestly as long as it is alive, unless
  // `also_health`.
  void set(Habit habit, bool also_health = false);
  void kill();                 // closes its port and every connection
  void revive();               // on the same port
  std::size_t calls() const;   // to verify and hash, however they were answered
  std::size_t checks() const;  // of its health
  std::size_t hashed() const;  // that its pool computed

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace muhur::passwords

#pragma once
// Runs a coroutine on an io_context until it returns; what it throws fails the test.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>

#include "net/stream.hpp"

namespace muhur::net {

inline void run(boost::asio::io_context& io, Task<void> task) {
  std::exception_ptr error;
  bool done = false;
  io.restart();  // it may have run dry before
  boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr e) {
    error = e;
    done = true;
  });
  while (!done && io.run_one() > 0) {
  }
  if (error) std::rethrow_exception(error);
  if (!done) throw std::runtime_error("the coroutine waits for nothing");
}

}  // namespace muhur::net

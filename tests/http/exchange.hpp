#pragma once
// A server and a peer at the two ends of a stream in memory.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "http/server.hpp"
#include "net/memory_stream.hpp"
#include "net/run.hpp"

namespace muhur::http {

class Exchange {
 public:
  explicit Exchange(ServerOptions options = {}, net::MemoryOptions memory = {}) : memory_(memory) {
    options_ = std::move(options);
  }
  Router router;
  boost::asio::io_context io;

  Server& server() {
    if (!server_) server_ = std::make_unique<Server>(router, options_);
    return *server_;
  }
  net::StreamPtr connect() {
    auto [near, far] = net::memory_stream_pair(io.get_executor(), memory_);
    boost::asio::co_spawn(io, server().serve(std::move(far)), boost::asio::detached);
    return std::move(near);
  }
  // All that comes back for `wire` until the server closes. The wire should ask it to, or be refused.
  std::string all(std::string wire) {
    std::string got;
    net::run(io, [](net::StreamPtr near, std::string sent, std::string& into) -> net::Task<void> {
      near->expires_after(std::chrono::seconds(20));
      (void)co_await near->write(as_bytes(sent));
      Byte room[4096];
      while (true) {
        const auto size = co_await near->read_some(room);
        if (!size) co_return;
        into.append(reinterpret_cast<const char*>(room), *size);
      }
    }(connect(), std::move(wire), got));
    return got;
  }
  int status(const std::string& wire) {
    const std::string got = all(wire);
    return got.starts_with("HTTP/1.1 ") ? std::stoi(got.substr(9, 3)) : 0;
  }

 private:
  net::MemoryOptions memory_;
  ServerOptions options_;
  std::unique_ptr<Server> server_;
};

}  // namespace muhur::http

#pragma once
// A Stream in memory whose other end is a test: the server side lives on its strand, the test side blocks.

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "net/stream.hpp"

namespace muhur::imap::test {

struct WireOptions {
  net::Peer peer{"127.0.0.1", 40000, true};
  bool secure = false;
  std::size_t capacity = 1 << 20;  // octets on the way to the test before the server's write waits
};

// The test's end. What it waits for comes within 30 seconds, or the test fails with what there was instead.
class Wire {
 public:
  struct State;
  explicit Wire(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~Wire() { close(); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void send(std::string_view octets);
  std::string line();  // with its CRLF; empty at the end of the stream
  std::string octets(std::size_t size);
  bool at_end();  // waits for octets or the end
  // Waits until the server gives its reads and writes this time and no other.
  void until_time_is(std::chrono::milliseconds time);
  void close();

 private:
  std::shared_ptr<State> state_;
};

std::pair<net::StreamPtr, std::unique_ptr<Wire>> make_wire(boost::asio::any_io_executor executor,
                                                           WireOptions options);

}  // namespace muhur::imap::test

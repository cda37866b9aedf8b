#pragma once
// Accepts connections and starts a coroutine for each, with caps on how many there are in all and from
// one address; drains at shutdown.

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "net/stream.hpp"

namespace muhur::net {

struct TcpAddress {
  std::string host;  // a literal address
  std::uint16_t port = 0;
};
using Address = std::variant<TcpAddress, std::filesystem::path>;  // TCP, or the path of a Unix socket

struct ListenerOptions {
  std::string name;  // for logs and metrics: "imap", "imaps", "lmtp"
  Address address;
  TlsContext* implicit_tls = nullptr;  // handshake before the first byte
  std::size_t max_connections = 10'000;
  std::size_t max_per_address = 1'000;  // loopback and Unix sockets are not counted
  std::chrono::milliseconds handshake_timeout{10'000};
  unsigned unix_mode = 0660;
};

class Listener {
 public:
  using Serve = std::function<Task<void>(StreamPtr)>;

  // Binds at once (io: "address in use" with the remedy); accepts once start() is called. A connection
  // over a cap is closed after `refusal` has been written to it (may be empty).
  static Result<std::shared_ptr<Listener>> bind(boost::asio::io_context& io, ListenerOptions options,
                                                Serve serve, std::string refusal = {});
  ~Listener();
  void start();
  std::uint16_t port() const;  // the real one when 0 was asked for
  std::size_t connections() const;
  // Other caps for whoever comes from now on. Thread-safe.
  void set_caps(std::size_t max_connections, std::size_t max_per_address);
  // Accepts who has connected already, and no more. Connections go on.
  void stop();
  // Closes what is still connected. Thread-safe.
  void close_all();

 private:
  struct Impl;
  explicit Listener(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace muhur::net

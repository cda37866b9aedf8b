#pragma once
// Plain blocking clients for load: one socket, one thread. They know as much of IMAP and LMTP as a load
// needs, so that the time measured is the server's.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace muhur::bench {

struct Endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};
Result<Endpoint> parse_endpoint(std::string_view text);  // "host:port"

class Socket {
 public:
  static Result<Socket> connect(const Endpoint& endpoint);
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();
  Result<void> send(std::string_view bytes);
  Result<std::string> line();                    // without its CRLF
  Result<void> skip(std::size_t size);           // reads and drops

 private:
  explicit Socket(int fd) : fd_(fd) {}
  Result<void> fill();
  int fd_ = -1;
  std::string buffer_;
  std::size_t at_ = 0;
};

class ImapClient {
 public:
  static Result<ImapClient> connect(const Endpoint& endpoint);  // reads the greeting
  // Sends a command and reads to its tagged OK; untagged lines and literals are dropped, but for those of
  // `collect` (lines that begin with it).
  Result<std::vector<std::string>> command(std::string_view text, std::string_view collect = {});
  Result<void> login(std::string_view user, std::string_view password);
  Result<void> append(std::string_view folder, std::string_view message);  // LITERAL+
  std::uint64_t literal_bytes() const { return literal_bytes_; }

 private:
  explicit ImapClient(Socket socket) : socket_(std::move(socket)) {}
  Result<std::vector<std::string>> answer(std::string_view tag, std::string_view collect);
  Socket socket_;
  unsigned next_ = 0;
  std::uint64_t literal_bytes_ = 0;
};

class LmtpClient {
 public:
  static Result<LmtpClient> connect(const Endpoint& endpoint);
  Result<void> deliver(std::string_view to, std::string_view message);  // returns after its 250

 private:
  explicit LmtpClient(Socket socket) : socket_(std::move(socket)) {}
  Result<void> expect(char first);
  Socket socket_;
};

}  // namespace muhur::bench

#pragma once
// The LMTP server (RFC 2033): mail in, one reply a recipient, each durable before its 250.

#include <memory>
#include <string>

#include "mail/post_office.hpp"
#include "net/stream.hpp"

namespace muhur::lmtp {

struct ServerOptions {
  std::string host_name;  // in the greeting and in Received
  std::uint64_t max_message = 50ull << 20;
  std::size_t max_recipients = 1'000;
  std::uint64_t body_memory = 256ull << 20;  // octets of messages that are coming in, of all connections
  Millis command_timeout{300'000};           // RFC 5321 §4.5.3.2.7
  Millis data_timeout{600'000};
};

class Server {
 public:
  Server(mail::PostOffice& office, ServerOptions options);
  ~Server();
  net::Task<void> serve(net::StreamPtr stream);
  void shutdown();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace muhur::lmtp

#pragma once
// An HTTP/1.1 client with pooled keep-alive connections, for http:// and https:// (verified against the
// system's roots or a given CA file). Answers are bounded; redirects are not followed.

#include <chrono>
#include <memory>
#include <string>

#include "http/message.hpp"

namespace muhur::http {

struct ClientOptions {
  std::chrono::milliseconds connect_timeout{2'000};
  std::size_t max_body = 1 << 20;
  std::size_t max_idle_per_host = 16;
  std::string ca_file;  // empty: the system's
  bool verify = true;   // false takes any certificate: for tests
  std::chrono::milliseconds keep_idle{20'000};
};

// Thread-safe. Goes before the io_context of its executor.
class Client {
 public:
  explicit Client(boost::asio::any_io_executor executor, ClientOptions options = {});
  ~Client();
  // `url` absolute. Fails with timed_out at the total deadline, closed, invalid (a bad URL), limit. A
  // request on a pooled connection that turns out closed before any byte of an answer is sent once more
  // on a new one when `idempotent`.
  net::Task<Result<Response>> send(std::string method, std::string url, Headers headers, std::string body,
                                   std::chrono::milliseconds deadline, bool idempotent = false);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

struct Url {
  std::string scheme, host, port, target;  // port filled in from the scheme
  static Result<Url> parse(std::string_view text);
};

}  // namespace muhur::http

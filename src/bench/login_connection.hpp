#pragma once
// A user's connection: one keep-alive HTTP/1.1 connection at a time, opened again when the server closed it,
// and the cookies of one browser. It knows as much of HTTP as the load needs and costs little: the generator
// shares the machine with the server. Answers are at most 1 MiB.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/stream.hpp"

namespace muhur::bench {

// Name and value alone: each iteration begins with none, and ends on one host.
class CookieJar {
 public:
  void clear() { cookies_.clear(); }
  // A Set-Cookie header's value. One that expired or has no value is taken away.
  void take(std::string_view set_cookie);
  void append_header(std::string& request) const;  // "Cookie: a=b; c=d\r\n", or nothing

 private:
  std::vector<std::pair<std::string, std::string>> cookies_;
};

struct HttpAnswer {
  int status = 0;
  std::string_view location, body;
  std::vector<std::string_view> cookies;
  std::optional<unsigned> retry_after_s;
  bool keep_alive = true;
};

// Reads an answer whose bytes are `bytes`. nullopt: more is needed. invalid: no HTTP/1.1. The views look into
// `bytes` or, where the body came in chunks, into `joined`. `ended`: the peer closed.
Result<std::optional<HttpAnswer>> read_answer(std::string_view bytes, bool ended, std::string& joined);

class LoginConnection {
 public:
  LoginConnection(std::string host, std::uint16_t port) : host_(std::move(host)), port_(port) {}

  // Sends a whole request. The answer's views hold until the next call. A kept connection that was closed
  // before any byte of an answer came is opened again, once.
  net::Task<Result<HttpAnswer>> exchange(std::string_view request);
  void close() { stream_.reset(); }
  std::uint64_t opened() const { return opened_; }
  std::string authority() const;  // for the Host field

 private:
  struct Heard {
    Result<HttpAnswer> answer;
    bool untouched = false;  // closed before any byte of an answer
  };
  net::Task<Heard> once(std::string_view request);
  std::string host_;
  std::uint16_t port_;
  net::StreamPtr stream_;
  std::string buffer_, joined_;
  std::uint64_t opened_ = 0;
};

}  // namespace muhur::bench

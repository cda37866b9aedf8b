#pragma once
// HTTP requests and responses as values (RFC 9110). Names of header fields compare ignoring case.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/stream.hpp"

namespace muhur::http {

class Headers {
 public:
  // The first field of that name; nullopt when absent.
  std::optional<std::string_view> get(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  std::size_t count(std::string_view name) const { return all(name).size(); }
  void add(std::string name, std::string value);  // CR and LF in a value are dropped: no response splitting
  void set(std::string name, std::string value);  // replaces
  void remove(std::string_view name);
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

struct Request {
  std::string method;  // "GET", "POST", …
  std::string target;  // as sent: path and query
  std::string path;    // percent-decoded once, no dot segments; invalid ones never reach a handler
  std::string query;   // raw, without '?'
  Headers headers;
  std::string body;     // at most the route's limit
  net::Peer peer;       // the address that trusted proxies vouch for, else the socket's
  bool secure = false;  // TLS here or (trusted proxy) before us
  bool via_trusted_proxy = false;
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;

  static Response text(int status, std::string body);  // text/plain; charset=utf-8
  static Response html(int status, std::string body);
  static Response json(int status, std::string body);  // application/json, no-store
  static Response redirect(std::string location, int status = 303);
  // An error's status and text: what is nobody's fault outside (busy, timed_out, no_space …) is 503 with
  // Retry-After, what is a bug or damage 500 and says no more than that.
  static Response from_error(const Error& error);
  Response& with(std::string name, std::string value) {
    headers.set(std::move(name), std::move(value));
    return *this;
  }
};

std::string_view reason_of(int status);

}  // namespace muhur::http

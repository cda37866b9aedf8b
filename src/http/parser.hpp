#pragma once
// Reads HTTP/1.1 messages a piece at a time. Boost.Beast's parser does the grammar, in parser.cpp alone; what
// it lets through and two readers could understand differently (RFC 9112 §11.2) is refused here: a length
// given twice or with a transfer coding, any coding but "chunked", folded lines, a missing or second Host.
// Trailers are dropped. Private to http/.

#include <memory>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace muhur::http {

struct ParserLimits {
  std::size_t max_header = 16 * 1024;
  std::size_t max_target = 8 * 1024;
};

class RequestParser {
 public:
  explicit RequestParser(ParserLimits limits = {});
  ~RequestParser();

  // Takes what it can use of `bytes` and says how many; what is left has to come again with more behind it.
  // Stops after the header (see allow_body), at the end of the request and at a refusal.
  std::size_t feed(std::string_view bytes);
  bool header_done() const;  // the request has method, target, path, query and headers
  bool done() const;         // and its body
  // The status to answer with when it cannot be read: 400, 413, 414, 417, 431, 501, 505. 0: all is well. The
  // connection is of no use any more.
  int refused() const;
  // After the header, once: how much body may follow. At once 413 when more is announced.
  void allow_body(std::size_t limit);
  bool has_body() const;          // one was announced
  bool expects_continue() const;  // and is waited with until we say 100
  bool keep_alive() const;        // the client would send another request
  bool http_1_0() const;

  Request& request();
  void reset();  // for the next request on the connection

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class ResponseParser {
 public:
  // `to_head`: the answer to a HEAD has no body whatever it says.
  explicit ResponseParser(std::size_t max_body, bool to_head = false);
  ResponseParser(ResponseParser&&) noexcept;
  ~ResponseParser();
  std::size_t feed(std::string_view bytes);
  void feed_end();  // the peer closed: the end of a body without length, otherwise a failure
  bool done() const;
  bool failed() const;      // what came is no HTTP
  bool over_limit() const;  // failed, because there was too much of it
  bool keep_alive() const;
  Response& response();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::http

// Requests that two readers could understand differently (RFC 9112 §11.2): each is refused before any handler
// sees it, however it is cut, and the connection ends.

#include <gtest/gtest.h>

#include "http/parser.hpp"

namespace muhur::http {
namespace {

int refused(std::string_view wire, std::size_t step) {
  RequestParser parser;
  std::string waiting;
  while (!wire.empty() && parser.refused() == 0 && !parser.done()) {
    const auto size = std::min(step, wire.size());
    waiting += wire.substr(0, size);
    wire.remove_prefix(size);
    for (int turn = 0; turn < 2 && parser.refused() == 0; ++turn) {
      waiting.erase(0, parser.feed(waiting));
      if (parser.header_done()) parser.allow_body(1000);
    }
  }
  return parser.refused();
}

struct Case {
  const char* name;
  std::string wire;
};

std::string post(std::string_view fields, std::string_view body = "") {
  return fmt::format("POST / HTTP/1.1\r\nHost: h\r\n{}\r\n{}", fields, body);
}
std::string chunked(std::string_view body) { return post("Transfer-Encoding: chunked\r\n", body); }

std::vector<Case> cases() {
  return {
      {"both lengths", post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"both lengths, other order", post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n")},
      {"two lengths", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd")},
      {"two equal lengths", post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc")},
      {"a list of lengths", post("Content-Length: 3, 3\r\n", "abc")},
      {"signed length", post("Content-Length: +3\r\n", "abc")},
      {"negative length", post("Content-Length: -3\r\n", "abc")},
      {"hex length", post("Content-Length: 0x3\r\n", "abc")},
      {"empty length", post("Content-Length: \r\n", "abc")},
      {"length beyond 64 bits", post("Content-Length: 18446744073709551617\r\n", "a")},
      {"gzip coding", post("Transfer-Encoding: gzip\r\n", "x")},
      {"gzip before chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
      {"chunked not last", post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n")},
      {"chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"identity and chunked fields",
       post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"chunked with a tail", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")},
      {"chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"space before the colon", post("Content-Length : 3\r\n", "abc")},
      {"tab before the colon", post("Transfer-Encoding\t: chunked\r\n", "0\r\n\r\n")},
      {"space before the name", "POST / HTTP/1.1\r\n Host: h\r\n\r\n"},
      {"folded coding", post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n")},
      {"folded other field", post("X: a\r\n b\r\n")},
      {"folded blank", post("X: a\r\n \r\n")},
      {"bare LF between fields", "POST / HTTP/1.1\r\nHost: h\nContent-Length: 3\r\n\r\nabc"},
      {"bare LF everywhere", "GET / HTTP/1.1\nHost: h\n\n\r\n\r\n"},
      {"bare CR in a value", post("X: a\rContent-Length: 3\r\n", "abc")},
      {"NUL in a value", post(std::string_view("X: a\0b\r\n", 8))},
      {"NUL in a name", post(std::string_view("X\0: a\r\n", 7))},
      {"field without colon", post("Content-Length\r\n")},
      {"empty name", post(": x\r\n")},
      {"no Host", "GET / HTTP/1.1\r\n\r\n"},
      {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
      {"empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"},
      {"Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"},
      {"Host with userinfo", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"},
      {"tab in the request line", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"two spaces in the request line", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"no version", "GET /\r\nHost: h\r\n\r\n"},
      {"another version", "GET / HTTP/2.0\r\nHost: h\r\n\r\n"},
      {"version without digits", "GET / HTTP/x.y\r\nHost: h\r\n\r\n"},
      {"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"a TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15)},
      {"CONNECT", "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n"},
      {"star for GET", "GET * HTTP/1.1\r\nHost: h\r\n\r\n"},
      {"chunk size with a sign", chunked("+3\r\nabc\r\n0\r\n\r\n")},
      {"chunk size with 0x", chunked("0x3\r\nabc\r\n0\r\n\r\n")},
      {"chunk size with a space", chunked("3 \r\nabc\r\n0\r\n\r\n")},
      {"chunk size with a space before", chunked(" 3\r\nabc\r\n0\r\n\r\n")},
      {"chunk size missing", chunked("\r\nabc\r\n0\r\n\r\n")},
      {"chunk size of no number", chunked("xyz\r\nabc\r\n0\r\n\r\n")},
      {"chunk size beyond 64 bits", chunked("10000000000000003\r\nabc\r\n0\r\n\r\n")},
      {"chunk size ended by LF", chunked("3\nabc\r\n0\r\n\r\n")},
      {"chunk longer than it says", chunked("3\r\nabcd\r\n0\r\n\r\n")},
      {"chunk ended by LF", chunked("3\r\nabc\n0\r\n\r\n\r\n")},
      {"chunk ended by nothing", chunked("3\r\nabc0\r\n\r\n")},
      {"LF in a chunk's extension", chunked("3;a\nb\r\nabc\r\n0\r\n\r\n")},
  };
}

TEST(Smuggling, IsRefused) {
  for (const auto& [name, wire] : cases())
    for (const std::size_t step : {std::size_t{1}, std::size_t{5}, wire.size()})
      EXPECT_GE(refused(wire, step), 400) << name << ", step " << step;
}

TEST(Smuggling, HonestRequestsPass) {
  for (const std::string& wire :
       {post("Content-Length: 3\r\n", "abc"), post("Content-Length: 0\r\n"), post(""),
        chunked("3\r\nabc\r\n0\r\n\r\n"), chunked("0003;ext=\"a\"\r\nabc\r\n0\r\n\r\n"),
        std::string("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")})
    EXPECT_EQ(refused(wire, wire.size()), 0) << wire;
}

TEST(Smuggling, TheAbsoluteFormOverridesHost) {
  // RFC 9112 §3.2.2: otherwise the check of Host looks at one name and the handler at another.
  RequestParser parser;
  parser.feed("GET http://evil.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n");
  ASSERT_TRUE(parser.done());
  EXPECT_EQ(parser.request().headers.get("Host"), "evil.example");
  EXPECT_EQ(parser.request().headers.count("Host"), 1u);
}

}  // namespace
}  // namespace muhur::http

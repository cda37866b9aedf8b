#include "http/parser.hpp"

#include <gtest/gtest.h>

namespace muhur::http {
namespace {

// Feeds `wire` in pieces of `step` bytes as a connection would; what is left over comes back.
std::string feed(RequestParser& parser, std::string_view wire, std::size_t step,
                 std::size_t max_body = 1000) {
  std::string waiting;
  while (parser.refused() == 0 && !parser.done()) {
    if (wire.empty()) break;
    const auto size = std::min(step, wire.size());
    waiting += wire.substr(0, size);
    wire.remove_prefix(size);
    for (int turn = 0; turn < 2 && parser.refused() == 0; ++turn) {
      waiting.erase(0, parser.feed(waiting));
      if (parser.header_done()) parser.allow_body(max_body);
    }
  }
  return waiting + std::string(wire);
}

constexpr std::string_view kPost =
    "POST /a%20b?q=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nX-Long: v\r\n\r\nhelloGET / HTTP";
constexpr std::string_view kChunked =
    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3;x=y\r\nabc\r\n00A\r\n0123456789\r\n0\r\nX-Trailer: dropped\r\n\r\nGET";

TEST(RequestParser, ReadsARequestHoweverItIsCut) {
  for (std::size_t step = 1; step <= kPost.size(); ++step) {
    RequestParser parser;
    EXPECT_EQ(feed(parser, kPost, step), "GET / HTTP") << step;
    ASSERT_TRUE(parser.done()) << step;
    const Request& request = parser.request();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/a b");
    EXPECT_EQ(request.query, "q=1");
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(request.headers.get("x-long"), "v");
    EXPECT_TRUE(parser.keep_alive());
  }
}

TEST(RequestParser, ReadsChunksHoweverTheyAreCut) {
  for (std::size_t step = 1; step <= kChunked.size(); ++step) {
    RequestParser parser;
    EXPECT_EQ(feed(parser, kChunked, step), "GET") << step;
    ASSERT_TRUE(parser.done()) << step << " refused " << parser.refused();
    EXPECT_EQ(parser.request().body, "abc0123456789");
    EXPECT_FALSE(parser.request().headers.get("X-Trailer"));
  }
}

TEST(RequestParser, BeginsAnewForTheNextRequest) {
  RequestParser parser;
  feed(parser, kPost, 100);
  parser.reset();
  feed(parser, "GET /x HTTP/1.0\r\n\r\n", 100);
  ASSERT_TRUE(parser.done());
  EXPECT_TRUE(parser.http_1_0());
  EXPECT_FALSE(parser.keep_alive());
  EXPECT_TRUE(parser.request().body.empty());
  EXPECT_TRUE(parser.request().headers.fields().empty());
}

TEST(RequestParser, SaysWhatIsTooLong) {
  const std::string much(20'000, 'a');
  const std::vector<std::pair<std::string, int>> cases{
      {"GET /" + much + " HTTP/1.1\r\nHost: h\r\n\r\n", 414},
      {"GET /" + std::string(9'000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", 414},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: " + much + "\r\n\r\n", 431},
      {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n", 413},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3E9\r\n", 413},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3E8\r\n" + std::string(1000, 'b') +
           "\r\n1\r\nb\r\n",
       413},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;" + much, 400},
      {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + much, 400}};
  for (const auto& [wire, status] : cases)
    for (const std::size_t step : {1u, 700u, 100'000u}) {
      RequestParser parser;
      feed(parser, wire, step);
      EXPECT_EQ(parser.refused(), status) << wire.substr(0, 80) << " step " << step;
    }
}

TEST(RequestParser, KnowsWhetherTheConnectionGoesOn) {
  const auto keeps = [](std::string_view version, std::string_view connection) {
    RequestParser parser;
    feed(parser, fmt::format("GET / HTTP/{}\r\nHost: h\r\n{}\r\n", version, connection), 1000);
    EXPECT_TRUE(parser.done());
    return parser.keep_alive();
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: foo, Close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "Connection: keep-alive\r\n"));
}

TEST(RequestParser, ExpectsContinueOnlyWithABody) {
  RequestParser parser;
  feed(parser, "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", 1000);
  EXPECT_TRUE(parser.expects_continue());
  RequestParser none;
  feed(none, "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n", 1000);
  EXPECT_FALSE(none.expects_continue());
  RequestParser other;
  feed(other, "POST / HTTP/1.1\r\nHost: h\r\nExpect: tea\r\n\r\n", 1000);
  EXPECT_EQ(other.refused(), 417);
}

// Runs a response through, cut in pieces, then the end of the stream.
ResponseParser respond(std::string_view wire, std::size_t step, bool to_head = false) {
  ResponseParser parser(100, to_head);
  std::string waiting;
  while (!wire.empty() && !parser.done() && !parser.failed()) {
    const auto size = std::min(step, wire.size());
    waiting += wire.substr(0, size);
    wire.remove_prefix(size);
    waiting.erase(0, parser.feed(waiting));
  }
  parser.feed_end();
  return parser;
}

TEST(ResponseParser, ReadsAllFramingsHoweverTheyAreCut) {
  for (const std::size_t step : {1u, 7u, 1000u}) {
    auto sized = respond("HTTP/1.1 201 Created\r\nContent-Length: 2\r\nA: b\r\n\r\nok", step);
    EXPECT_TRUE(sized.done());
    EXPECT_TRUE(sized.keep_alive());
    EXPECT_EQ(sized.response().status, 201);
    EXPECT_EQ(sized.response().body, "ok");
    EXPECT_EQ(sized.response().headers.get("a"), "b");
    auto chunked = respond("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", step);
    EXPECT_TRUE(chunked.done());
    EXPECT_EQ(chunked.response().body, "ok");
    auto to_end = respond("HTTP/1.1 200 OK\r\n\r\nall of it", step);
    EXPECT_TRUE(to_end.done());
    EXPECT_FALSE(to_end.keep_alive());
    EXPECT_EQ(to_end.response().body, "all of it");
    auto interim = respond("HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", step);
    EXPECT_TRUE(interim.done());
    EXPECT_EQ(interim.response().status, 204);
    EXPECT_FALSE(interim.response().headers.get("Link"));
    auto head = respond("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", step, true);
    EXPECT_TRUE(head.done());
    EXPECT_TRUE(head.response().body.empty());
  }
}

TEST(ResponseParser, FailsOnWhatIsCutShortTooLargeOrUnclear) {
  const std::string much(200, 'x');
  for (const std::string& wire : std::vector<std::string>{
           "", "HTTP/1.1 200", "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", "HTTP/1.1 101 Switching\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
           "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"})
    for (const std::size_t step : {1u, 1000u}) EXPECT_TRUE(respond(wire, step).failed()) << wire;
  for (const std::string& wire : std::vector<std::string>{
           "HTTP/1.1 200 OK\r\n\r\n" + much, "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n" + much,
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nC8\r\n" + much + "\r\n",
           "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'y')})
    for (const std::size_t step : {1u, 1000u})
      EXPECT_TRUE(respond(wire, step).over_limit()) << wire.substr(0, 60);
}

}  // namespace
}  // namespace muhur::http

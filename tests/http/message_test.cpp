#include "http/message.hpp"

#include <gtest/gtest.h>

#include "http/serialize.hpp"

namespace muhur::http {
namespace {

TEST(Headers, NamesCompareIgnoringCase) {
  Headers headers;
  headers.add("Content-Type", "text/plain");
  headers.add("X-A", "1");
  headers.add("x-a", "2");
  EXPECT_EQ(headers.get("content-type"), "text/plain");
  EXPECT_EQ(headers.all("X-a").size(), 2u);
  headers.set("X-A", "3");
  EXPECT_EQ(headers.count("x-A"), 1u);
  EXPECT_FALSE(headers.get("X-B"));
}

TEST(Headers, AValueCannotSplitTheResponse) {
  Response response = Response::redirect("https://a.example/\r\nSet-Cookie: evil=1\r\n\r\n<html>");
  std::string wire;
  serialize(response, {}, wire);
  EXPECT_EQ(wire.find("\r\nSet-Cookie"), std::string::npos);
  EXPECT_EQ(wire.find("\r\n\r\n"), wire.size() - 4);
}

TEST(Serialize, GivesLengthDateAndWhatTheHandlerSaid) {
  std::string wire;
  serialize(Response::text(404, "no\n").with("X-Y", "z"), {.close = true}, wire);
  EXPECT_TRUE(wire.starts_with("HTTP/1.1 404 Not Found\r\nDate: "));
  EXPECT_NE(wire.find("\r\nContent-Length: 3\r\n"), std::string::npos);
  EXPECT_NE(wire.find("\r\nX-Y: z\r\n"), std::string::npos);
  EXPECT_NE(wire.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_TRUE(wire.ends_with("\r\n\r\nno\n"));
}

TEST(Serialize, LeavesTheBodyOutForHeadAndWhereThereIsNone) {
  std::string head;
  serialize(Response::text(200, "body"), {.to_head = true}, head);
  EXPECT_NE(head.find("Content-Length: 4\r\n"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  for (const int status : {204, 304}) {
    Response response;
    response.status = status;
    std::string wire;
    serialize(response, {}, wire);
    EXPECT_EQ(wire.find("Content-Length"), std::string::npos) << status;
  }
}

TEST(Serialize, AHandlerCannotFrameTheMessageOtherwise) {
  std::string wire;
  serialize(Response::text(200, "ok").with("content-length", "7").with("Transfer-Encoding", "chunked"), {},
            wire);
  EXPECT_NE(wire.find("Content-Length: 2\r\n"), std::string::npos);
  EXPECT_EQ(wire.find("content-length: 7"), std::string::npos);
  EXPECT_EQ(wire.find("Transfer-Encoding"), std::string::npos);
}

TEST(Serialize, WritesDatesAsRfc9110Does) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(Response, AnErrorBecomesAStatus) {
  const Response busy = Response::from_error({Code::busy, "the queue is full", ""});
  EXPECT_EQ(busy.status, 503);
  EXPECT_TRUE(busy.headers.get("Retry-After"));
  EXPECT_EQ(Response::from_error({Code::no_space, "disk", ""}).status, 503);
  EXPECT_EQ(Response::from_error({Code::denied, "wrong password of x", ""}).status, 403);
  const Response broken = Response::from_error({Code::corrupt, "page 7 of /data/x", ""});
  EXPECT_EQ(broken.status, 500);
  EXPECT_EQ(broken.body.find("/data"), std::string::npos);
}

}  // namespace
}  // namespace muhur::http

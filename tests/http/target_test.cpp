#include "http/target.hpp"

#include <gtest/gtest.h>

#include "http/client.hpp"

namespace muhur::http {
namespace {

TEST(Target, IsTakenApart) {
  const auto plain = parse_target("/a/b%20c?x=1&y=%2F").value();
  EXPECT_EQ(plain.path, "/a/b c");
  EXPECT_EQ(plain.query, "x=1&y=%2F");
  EXPECT_EQ(parse_target("/?").value().query, "");
  EXPECT_EQ(parse_target("*").value().path, "*");
  const auto absolute = parse_target("HTTP://Example.org:81?q").value();
  EXPECT_EQ(absolute.authority, "example.org:81");
  EXPECT_EQ(absolute.path, "/");
  EXPECT_EQ(absolute.query, "q");
}

TEST(Target, IsDecodedOnceOnly) { EXPECT_EQ(parse_target("/%2561").value().path, "/%61"); }

TEST(Target, OfMoreThanOneMeaningIsRefused) {
  for (const char* target :
       {"",          "a",      "//..",    "/..",         "/a/../b",   "/a/./b",    "/a/..",
        "/%2e%2e/x", "/%2E/x", "/a%2fb",  "/a%2Fb",      "/a\\b",     "/a%5cb",    "/a#b",
        "/%",        "/%4",    "/%zz",    "/a%00b",      "/a%0d%0ab", "/%ff",      "/%c0%ae",
        "/\x80",     "/a b",   "http://", "http://u@h/", "http:///x", "ftp://h/x", "example.org:443"})
    EXPECT_FALSE(parse_target(target)) << target;
}

TEST(Authority, IsHostAndPort) {
  EXPECT_EQ(canonical_authority("ID.Example.org:8443"), "id.example.org:8443");
  EXPECT_EQ(canonical_authority("[::1]:80"), "[::1]:80");
  EXPECT_EQ(host_without_port("[::1]:80"), "[::1]");
  EXPECT_EQ(host_without_port("[::1]"), "[::1]");
  EXPECT_EQ(host_without_port("a:1"), "a");
  for (const char* bad : {"", ":80", "a b", "a@b", "a/b", "a,b", "a:x", "a:1:2", "[::1", "a\r\n", "<x>"})
    EXPECT_EQ(canonical_authority(bad), "") << bad;
}

TEST(Url, IsTakenApart) {
  const auto url = Url::parse("https://Worker.example/v1/verify?x#frag").value();
  EXPECT_EQ(url.scheme, "https");
  EXPECT_EQ(url.host, "worker.example");
  EXPECT_EQ(url.port, "443");
  EXPECT_EQ(url.target, "/v1/verify?x");
  EXPECT_EQ(Url::parse("http://[::1]:8080").value().host, "::1");
  EXPECT_EQ(Url::parse("http://[::1]:8080").value().port, "8080");
  EXPECT_EQ(Url::parse("http://h").value().target, "/");
  EXPECT_EQ(Url::parse("http://h?q").value().target, "/?q");
}

TEST(Url, ThatCouldMeanAnotherHostIsRefused) {
  for (const char* text :
       {"", "h", "ftp://h/", "http://", "http://u:p@h/", "http://h:0/", "http://h:70000/", "http://h:x/",
        "http://h/ x", "http://h/\r\nX: y", "javascript:alert(1)", "http:/h"})
    EXPECT_EQ(Url::parse(text).error().code, Code::invalid) << text;
}

}  // namespace
}  // namespace muhur::http

#include <gtest/gtest.h>

#include "oidc/clients.hpp"
#include "oidc/uri.hpp"

namespace muhur::oidc {
namespace {

Client with(std::vector<std::string> uris) {
  Client client;
  client.redirect_uris = std::move(uris);
  return client;
}

// Bug class 1: a registered prefix, or userinfo that looks like the registered host.
TEST(RedirectUri, Bug01UserinfoAndPrefixesNeverMatch) {
  const Client client = with({"https://app.example/cb", "https://app.example"});
  for (const auto* uri :
       {"https://app.example@evil", "https://app.example%25@evil", "https://a@b@evil",
        "https://app.example@evil/cb", "https://app.example:x@evil/cb", "https://app.example.evil",
        "https://app.example/cb/", "https://app.example/cb/x", "https://app.example/cb?x=1",
        "https://app.example/", "https://app.example:443/cb", "https://evil/https://app.example/cb"})
    EXPECT_FALSE(redirect_uri_matches(client, uri)) << uri;
  EXPECT_TRUE(redirect_uri_matches(client, "https://app.example/cb"));
  EXPECT_TRUE(redirect_uri_matches(client, "https://app.example"));
}

TEST(RedirectUri, Bug01UserinfoIsNotRegistered) {
  for (const auto* uri : {"https://app.example@evil", "https://app.example%25@evil/", "https://a@b@evil/",
                          "https://@evil/", "com.example.app://user@host/cb"})
    EXPECT_FALSE(check_redirect_uri(uri)) << uri;
}

// Bug class 2: case.
TEST(RedirectUri, Bug02CaseMatters) {
  const Client client = with({"https://app.example/callback", "com.example.app:/callback"});
  for (const auto* uri :
       {"https://app.example/CALLBACK", "https://APP.example/callback", "HTTPS://app.example/callback",
        "com.example.App:/callback", "https://app.example/%63allback"})
    EXPECT_FALSE(redirect_uri_matches(client, uri)) << uri;
}

// Bug class 3: only the port of a loopback address may differ.
TEST(RedirectUri, Bug03OnlyALoopbackPortMayDiffer) {
  const Client client = with({"http://127.0.0.1/cb", "http://[::1]:8080/cb", "http://localhost/cb",
                              "http://127.0.0.1:9/q?a=1", "https://127.0.0.1/s"});
  for (const auto* uri :
       {"http://127.0.0.1/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:65535/cb", "http://[::1]/cb",
        "http://[::1]:5/cb", "http://127.0.0.1:7/q?a=1", "http://localhost/cb"})
    EXPECT_TRUE(redirect_uri_matches(client, uri)) << uri;
  for (const auto* uri :
       {"http://127.0.0.1:1/cb?x=1",  "http://127.0.0.1:1/cb#x",      "http://127.0.0.1:1/cb/",
        "http://127.0.0.1:1/CB",      "http://127.0.0.1:1\\@evil/cb", "http://127.0.0.1:1/../cb",
        "http://127.0.0.1:1/./cb",    "http://127.0.0.1:1/%2e%2e/cb", "http://127.0.0.1:1/x/..%2fcb",
        "http://127.0.0.1:1@evil/cb", "http://127.0.0.1.evil:1/cb",   "http://127.0.0.2:1/cb",
        "http://0x7f.1:1/cb",         "http://127.0.0.1:/cb",         "http://127.0.0.1:0/cb",
        "http://127.0.0.1:065/cb",    "http://127.0.0.1:65536/cb",    "http://127.0.0.1:8x/cb",
        "http://127.0.0.1:1 /cb",     "http://127.0.0.1:1/cb\r\n",    "http://localhost:1/cb",
        "https://127.0.0.1:1/cb",     "https://127.0.0.1:1/s",        "http://[::1]:1/q?a=1",
        "http://[::2]:1/cb",          "http://127.0.0.1:7/q?a=2",     "http://127.0.0.1:7/q?a=1&a=1"})
    EXPECT_FALSE(redirect_uri_matches(client, uri)) << uri;
}

TEST(RedirectUri, Bug03OddPathsAreNotRegistered) {
  for (const auto* uri :
       {"https://a.example\\evil", "https://a.example/..", "https://a.example/../cb",
        "https://a.example/x/./y", "https://a.example/%2e%2e/cb", "https://a.example/.%2E/cb",
        "https://a.example/x/..%2fcb", "https://a.example/x%5c..%5ccb", "https://a.example/cb#",
        "https://a.example/cb#frag", "https://a.example/%zz", "https://a.example/%4"})
    EXPECT_FALSE(check_redirect_uri(uri)) << uri;
}

// Bug class 23: what a page could be made to run or to open.
TEST(RedirectUri, Bug23OnlyHttpsLoopbackAndPrivateUseSchemes) {
  for (const auto* uri :
       {"https://app.example", "https://app.example/cb", "https://app.example:8443/cb?x=%20y&z",
        "http://127.0.0.1:3000/cb", "http://[::1]/cb", "http://localhost:3000/cb", "com.example.app:/cb",
        "com.example.app://cb/x", "https://xn--mhr-hoab.example/", "https://app.example/a..b/...",
        "https://192.0.2.7/cb", "https://[2001:db8::1]/cb"})
    EXPECT_TRUE(check_redirect_uri(uri)) << uri;
  for (const auto* uri : {"",
                          "javascript:alert(1)",
                          "JAVASCRIPT:alert(1)",
                          "data:text/html,x",
                          "vbscript:x",
                          "file:///etc/passwd",
                          "http://app.example/cb",
                          "http://127.0.0.1.evil.example/",
                          "http://10.0.0.1/",
                          "myapp:/cb",
                          "app:cb",
                          "/cb",
                          "//app.example/cb",
                          "app.example/cb",
                          "https:app.example",
                          "https:/app.example",
                          "https://",
                          "https:///cb",
                          "https://app.example/c b",
                          "https://app.example/\"><script>",
                          "https://app.example/<x>",
                          "https://a.example/\n",
                          "https://m\xc3\xbch\xc3\xbcr.example/",
                          "https://App.example/",
                          "https://a..example/",
                          "https://.example/",
                          "https://a_b.example/",
                          "https://[zz]/",
                          "https://[::1",
                          "https://a.example:99999/",
                          "https://a.example:/",
                          "com.example.app:",
                          "1.app:/cb",
                          "https://*.example/cb",
                          "https://app.example/*"})
    EXPECT_FALSE(check_redirect_uri(uri)) << uri;
  EXPECT_FALSE(check_redirect_uri(std::string("https://a.example/\0x", 20)));
  EXPECT_TRUE(check_redirect_uri("https://a.example/" + std::string(2'000, 'x')));
  EXPECT_FALSE(check_redirect_uri("https://a.example/" + std::string(2'100, 'x')));
}

// Bug class 43: no wildcard, no prefix; a query is part of the URI (redirect-uri-query-added, -mismatch,
// -OK).
TEST(RedirectUri, Bug43UrisAreComparedWhole) {
  const Client client = with({"https://app.example/cb?tenant=1", "https://app.example/*"});
  EXPECT_TRUE(redirect_uri_matches(client, "https://app.example/cb?tenant=1"));
  for (const auto* uri :
       {"https://app.example/cb", "https://app.example/cb?tenant=2", "https://app.example/x",
        "https://app.example/cb?tenant=1&x=2", "https://app.example/cb?", ""})
    EXPECT_FALSE(redirect_uri_matches(client, uri)) << uri;
  EXPECT_FALSE(redirect_uri_matches(with({}), ""));
}

TEST(Uri, IsSplitWhereABrowserSplitsIt) {
  const auto uri = split_uri("https://[2001:db8::1]:8443/a?b=//c");
  ASSERT_TRUE(uri);
  EXPECT_EQ(uri->scheme, "https");
  EXPECT_EQ(uri->host, "[2001:db8::1]");
  EXPECT_EQ(uri->port, "8443");
  EXPECT_EQ(uri->rest, "/a?b=//c");
  EXPECT_EQ(split_uri("https://a.example?x")->rest, "?x");
  EXPECT_EQ(split_uri("urn:example:api")->rest, "example:api");
  EXPECT_TRUE(check_web_uri("https://a.example/"));
  EXPECT_FALSE(check_web_uri("com.example.app:/"));
}

}  // namespace
}  // namespace muhur::oidc

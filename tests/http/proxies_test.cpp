#include "http/proxies.hpp"

#include <gtest/gtest.h>

#include "http/server.hpp"

namespace muhur::http {
namespace {

struct Seen {
  std::string address;
  bool loopback, secure, proxied;
};

// What a request with these X-Forwarded-For fields looks like over a socket from `peer`.
Seen seen(std::string peer, std::vector<std::string> forwarded_for, std::string proto = "") {
  const TrustedProxies proxies({"10.0.0.0/8", "192.0.2.5", "2001:db8::/33", "unix", "127.0.0.1"});
  Request request;
  for (auto& value : forwarded_for) request.headers.add("X-Forwarded-For", value);
  if (!proto.empty()) request.headers.add("X-Forwarded-Proto", proto);
  proxies.apply(request, {peer, 1, peer == "127.0.0.1" || peer == "unix"}, false);
  return {request.peer.address, request.peer.loopback, request.secure, request.via_trusted_proxy};
}

TEST(TrustedProxies, Bug41AStrangerCannotForwardForAnybody) {
  // identity.md §5 no. 41.
  const Seen s = seen("203.0.113.9", {"127.0.0.1"}, "https");
  EXPECT_EQ(s.address, "203.0.113.9");
  EXPECT_FALSE(s.secure);
  EXPECT_FALSE(s.proxied);
}

TEST(TrustedProxies, Bug41AddressesCountFromTheRight) {
  EXPECT_EQ(seen("10.1.2.3", {"198.51.100.1"}).address, "198.51.100.1");
  // The client wrote the left ones itself.
  EXPECT_EQ(seen("10.1.2.3", {"127.0.0.1, 10.9.9.9, 198.51.100.1"}).address, "198.51.100.1");
  EXPECT_EQ(seen("10.1.2.3", {"198.51.100.7", "198.51.100.1, 10.4.4.4,192.0.2.5"}).address, "198.51.100.1");
  EXPECT_EQ(seen("unix", {"198.51.100.1:4711"}).address, "198.51.100.1");
  EXPECT_EQ(seen("2001:db8:7fff::1", {"[2001:db8:ffff::2]:99"}).address, "2001:db8:ffff::2");
  EXPECT_EQ(seen("::ffff:10.1.1.1", {"::ffff:198.51.100.1"}).address, "198.51.100.1");
}

TEST(TrustedProxies, WhatIsNoAddressEndsTheChain) {
  EXPECT_EQ(seen("10.1.2.3", {"198.51.100.1, unknown"}).address, "10.1.2.3");
  EXPECT_EQ(seen("10.1.2.3", {"198.51.100.1, 10.0.0.1, _hidden, 10.0.0.2"}).address, "10.0.0.2");
  EXPECT_EQ(seen("10.1.2.3", {""}).address, "10.1.2.3");
}

TEST(TrustedProxies, NobodyBehindAProxyIsOnThisMachine) {
  EXPECT_FALSE(seen("127.0.0.1", {"127.0.0.1"}).loopback);
  EXPECT_FALSE(seen("127.0.0.1", {}).loopback);
  EXPECT_FALSE(seen("unix", {}).loopback);
}

TEST(TrustedProxies, TheNearestSaysWhetherTlsWasUsed) {
  EXPECT_TRUE(seen("10.1.2.3", {}, "https").secure);
  EXPECT_TRUE(seen("10.1.2.3", {}, "http, HTTPS").secure);
  EXPECT_FALSE(seen("10.1.2.3", {}, "https, http").secure);
  EXPECT_FALSE(seen("10.1.2.3", {}).secure);
}

TEST(TrustedProxies, BlocksEndWhereTheySay) {
  const TrustedProxies proxies({"192.0.2.0/25", "2001:db8::/33", "0.0.0.0/0"});
  EXPECT_TRUE(TrustedProxies({"192.0.2.0/25"}).contains("192.0.2.127"));
  EXPECT_FALSE(TrustedProxies({"192.0.2.0/25"}).contains("192.0.2.128"));
  EXPECT_FALSE(TrustedProxies({"2001:db8::/33"}).contains("2001:db8:8000::"));
  EXPECT_TRUE(TrustedProxies({"0.0.0.0/0"}).contains("203.0.113.1"));
  EXPECT_FALSE(TrustedProxies({"0.0.0.0/0"}).contains("2001:db8::1"));
  EXPECT_FALSE(TrustedProxies({}).contains("unix"));
  EXPECT_FALSE(TrustedProxies({"nonsense"}).contains("nonsense"));
}

TEST(TrustedProxies, ConfigurationIsChecked) {
  for (const char* good : {"10.0.0.0/8", "::1", "::/0", "192.0.2.1", "unix"})
    EXPECT_TRUE(check_network(good)) << good;
  for (const char* bad :
       {"", "10.0.0.0/33", "10.0.0/8", "::/129", "a", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x"})
    EXPECT_FALSE(check_network(bad)) << bad;
}

}  // namespace
}  // namespace muhur::http

#include "http/forwarded.hpp"

#include <gtest/gtest.h>

#include "http/proxies.hpp"

namespace muhur::http {
namespace {

// "for proto|for proto", or "bad".
std::string parsed(const std::vector<std::string_view>& fields) {
  const auto hops = parse_forwarded(fields);
  if (!hops) return "bad";
  std::string text;
  for (const auto& hop : *hops) text += (text.empty() ? "" : "|") + hop.by_for + " " + hop.proto;
  return text;
}

TEST(Forwarded, ReadsTheExamplesOfTheRfc) {
  // RFC 7239 §4, §7.1 and §7.4.
  EXPECT_EQ(parsed({R"(for="_gazonk")"}), "_gazonk ");
  EXPECT_EQ(parsed({R"(For="[2001:db8:cafe::17]:4711")"}), "[2001:db8:cafe::17]:4711 ");
  EXPECT_EQ(parsed({"for=192.0.2.60;proto=http;by=203.0.113.43"}), "192.0.2.60 http");
  EXPECT_EQ(parsed({"for=192.0.2.43, for=198.51.100.17"}), "192.0.2.43 |198.51.100.17 ");
  EXPECT_EQ(parsed({R"(for=192.0.2.43, for="[2001:db8:cafe::17]")"}), "192.0.2.43 |[2001:db8:cafe::17] ");
  EXPECT_EQ(parsed({"for=192.0.2.43,for=\"[2001:db8:cafe::17]\",for=unknown"}),
            "192.0.2.43 |[2001:db8:cafe::17] |unknown ");
  EXPECT_EQ(parsed({"for=_hidden, for=_SEVKISEK"}), "_hidden |_SEVKISEK ");
  EXPECT_EQ(parsed({"for=192.0.2.43", "for=198.51.100.17;by=203.0.113.60;proto=http;host=example.com"}),
            "192.0.2.43 |198.51.100.17 http");
}

TEST(Forwarded, QuotesSpacesAndEmptyPartsAreAsTheGrammarHasThem) {
  EXPECT_EQ(parsed({R"(for="a\"b\\,;c" ; PROTO = https)"}), "bad");  // no spaces around "="
  EXPECT_EQ(parsed({R"(for="a\"b\\,;c" ;	PROTO=https ,, for=d)"}), "a\"b\\,;c https|d ");
  EXPECT_EQ(parsed({"", " ", ",", ";;"}), "");
  EXPECT_EQ(parsed({"by=x"}), " ");  // a hop that does not say for whom
}

TEST(Forwarded, WhatIsNotWellFormedCountsForNothingAtAll) {
  for (const std::string_view bad :
       {"for", "for=", "for=\"a", "for=\"a\\", "for=a b", "for=a;for=b", "for=a;proto=http;proto=https",
        "for=2001:db8::1", "for=a;=b", "for=a\"b\"", "for=a, proto"})
    EXPECT_EQ(parsed({"for=192.0.2.1", bad}), "bad") << bad;
  std::string endless;
  for (int i = 0; i < 65; ++i) endless += "for=a,";
  EXPECT_EQ(parsed({endless}), "bad");
}

struct Seen {
  std::string address;
  bool secure;
  bool operator==(const Seen&) const = default;
};

class ProxyHeaderTest : public testing::Test {
 protected:
  Seen seen(ProxyHeader header, std::string_view forwarded, std::string_view x_for = "",
            std::string_view x_proto = "", std::string peer = "10.0.0.1") {
    const TrustedProxies proxies({"10.0.0.0/8", "2001:db8::/32"}, header);
    Request request;
    if (!forwarded.empty()) request.headers.add("Forwarded", std::string(forwarded));
    if (!x_for.empty()) request.headers.add("X-Forwarded-For", std::string(x_for));
    if (!x_proto.empty()) request.headers.add("X-Forwarded-Proto", std::string(x_proto));
    proxies.apply(request, {std::move(peer), 1, false}, false);
    return {request.peer.address, request.secure};
  }
};

TEST_F(ProxyHeaderTest, ForwardedCountsFromTheRightThroughTrustedProxiesOnly) {
  using enum ProxyHeader;
  EXPECT_EQ(seen(either, "for=198.51.100.1;proto=https"), (Seen{"198.51.100.1", true}));
  EXPECT_EQ(seen(either, "for=127.0.0.1, for=198.51.100.1, for=10.3.3.3"), (Seen{"198.51.100.1", false}));
  EXPECT_EQ(seen(either, R"(for=203.0.113.1, for="[2001:db8::7]:4711")"), (Seen{"203.0.113.1", false}));
  EXPECT_EQ(seen(either, "for=198.51.100.1, for=unknown"), (Seen{"10.0.0.1", false}));
  EXPECT_EQ(seen(either, "for=198.51.100.1, by=10.2.2.2"), (Seen{"10.0.0.1", false}));
  EXPECT_EQ(seen(either, "for=198.51.100.1;proto=https, for=10.2.2.2;proto=http"),
            (Seen{"198.51.100.1", false}));
  EXPECT_EQ(seen(either, "for=198.51.100.1;proto=https, for=\"broken"), (Seen{"10.0.0.1", false}));
  // identity.md §5 no. 41: a stranger forwards for nobody.
  EXPECT_EQ(seen(either, "for=127.0.0.1;proto=https", "", "", "203.0.113.9"), (Seen{"203.0.113.9", false}));
}

TEST_F(ProxyHeaderTest, OfTwoHeadersOneCountsAndTheClientCannotChoose) {
  using enum ProxyHeader;
  // A proxy that writes X-Forwarded-For lets a Forwarded of the client through.
  EXPECT_EQ(seen(either, "for=127.0.0.1;proto=https", "198.51.100.1"), (Seen{"198.51.100.1", false}));
  EXPECT_EQ(seen(either, "for=127.0.0.1", "", "https"), (Seen{"10.0.0.1", true}));
  EXPECT_EQ(seen(x_forwarded_for, "for=127.0.0.1;proto=https"), (Seen{"10.0.0.1", false}));
  // And one that writes Forwarded an X-Forwarded-For.
  EXPECT_EQ(seen(forwarded, "for=198.51.100.1", "127.0.0.1", "https"), (Seen{"198.51.100.1", false}));
  EXPECT_EQ(seen(forwarded, "", "127.0.0.1", "https"), (Seen{"10.0.0.1", false}));
}

TEST_F(ProxyHeaderTest, OthersAreTrustedFromOneRequestToTheNext) {
  TrustedProxies proxies({"10.0.0.0/8"});
  const auto address = [&] {
    Request request;
    request.headers.add("X-Forwarded-For", "198.51.100.1");
    proxies.apply(request, {"10.0.0.1", 1, false}, false);
    return request.peer.address;
  };
  EXPECT_EQ(address(), "198.51.100.1");
  proxies.set({"192.0.2.0/24"}, ProxyHeader::either);
  EXPECT_EQ(address(), "10.0.0.1");
}

}  // namespace
}  // namespace muhur::http

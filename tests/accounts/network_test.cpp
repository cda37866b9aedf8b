#include "accounts/network.hpp"

#include <gtest/gtest.h>

namespace muhur::accounts {
namespace {

TEST(Network, AnIpv4AddressCountsAlone) {
  EXPECT_EQ(network_of("192.0.2.7:4711").name, "192.0.2.7");
  EXPECT_EQ(network_of("192.0.2.7").name, "192.0.2.7");
  EXPECT_EQ(network_of("[::ffff:192.0.2.7]:4711").name, "192.0.2.7");
  EXPECT_FALSE(network_of("192.0.2.7").is_local);
}

TEST(Network, AnIpv6AddressCountsWithItsSixtyFour) {
  EXPECT_EQ(network_of("[2001:db8:1:2:aaaa::1]:993").name, "2001:db8:1:2::/64");
  EXPECT_EQ(network_of("2001:db8:1:2:bbbb::9").name, "2001:db8:1:2::/64");
  EXPECT_EQ(network_of("fe80::1%eth0").name, "fe80::/64");
}

TEST(Network, LoopbackAndWhatIsNoAddressAreLocal) {
  for (const std::string_view peer : {"127.0.0.1:5", "[::1]:993", "::1", "unix", "", "cli", "[", "a:b:c:d"})
    EXPECT_TRUE(network_of(peer).is_local) << peer;
}

}  // namespace
}  // namespace muhur::accounts

#include "oidc/custody.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace muhur::oidc {
namespace {

TEST(CustodyTest, OnlyTheSecretThatWasHandedOutOpensTheWrap) {
  const Secret dek = Secret::random(32);
  const std::string secret = random_token();
  const Bytes wrap = wrap_under(secret, Custody::code, 7, dek);
  const auto opened = unwrap_with(secret, Custody::code, 7, wrap);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(*opened == dek);
  EXPECT_FALSE(unwrap_with(random_token(), Custody::code, 7, wrap));
  EXPECT_FALSE(unwrap_with(secret, Custody::refresh_token, 7, wrap));
  EXPECT_FALSE(unwrap_with(secret, Custody::code, 8, wrap));
  for (std::size_t i = 0; i < wrap.size(); ++i) {
    Bytes damaged = wrap;
    damaged[i] ^= 1;
    EXPECT_FALSE(unwrap_with(secret, Custody::code, 7, damaged)) << i;
  }
}

TEST(CustodyTest, NoKeyMakesNoWrap) {
  EXPECT_FALSE(wrap_if_any("secret", Custody::code, 7, Secret()));
  EXPECT_TRUE(wrap_if_any("secret", Custody::code, 7, Secret::random(32)));
}

TEST(CustodyTest, ASuccessorIsReadWithItsPredecessorAlone) {
  const Bytes box = seal_under("old", "new");
  EXPECT_EQ(open_under("old", box)->text(), "new");
  EXPECT_FALSE(open_under("other", box));
  EXPECT_FALSE(open_under("old", wrap_under("old", Custody::code, 0, Secret::random(32))));
}

}  // namespace
}  // namespace muhur::oidc

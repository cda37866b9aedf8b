#include "accounts/key_wrap.hpp"

#include <gtest/gtest.h>

namespace muhur::accounts {
namespace {

TEST(KeyWrap, OpensOnlyForItsUserMailboxKindAndKey) {
  const Secret kek = Secret::random(32);
  const Secret dek = Secret::random(32);
  const Bytes wrap = wrap_dek(kek, dek, wrap_purpose(CredentialKind::password), 7, "box");
  EXPECT_TRUE(unwrap_dek(kek, wrap, "dek-wrap:password", 7, "box").value() == dek);
  EXPECT_FALSE(unwrap_dek(kek, wrap, "dek-wrap:password", 8, "box"));
  EXPECT_FALSE(unwrap_dek(kek, wrap, "dek-wrap:password", 7, "bo"));
  EXPECT_FALSE(unwrap_dek(kek, wrap, "dek-wrap:app-password", 7, "box"));
  EXPECT_FALSE(unwrap_dek(Secret::random(32), wrap, "dek-wrap:password", 7, "box"));
}

TEST(KeyWrap, EveryKindHasAPurposeOfItsOwn) {
  EXPECT_EQ(wrap_purpose(CredentialKind::password), "dek-wrap:password");
  EXPECT_EQ(wrap_purpose(CredentialKind::recovery_key), "dek-wrap:recovery-key");
  EXPECT_EQ(wrap_purpose(CredentialKind::app_password), "dek-wrap:app-password");
}

}  // namespace
}  // namespace muhur::accounts

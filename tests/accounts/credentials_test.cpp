#include "accounts/credentials.hpp"

#include "accounts/fixture.hpp"

namespace muhur::accounts {
namespace {

class CredentialsTest : public WithDirectory {
 protected:
  Secret dek_ = Secret::random(32);
};

TEST_F(CredentialsTest, ANewUserHasAPasswordAndARecoveryKey) {
  const Created made = add_user("ayse", "correct horse", dek_);
  const auto list = Credentials(*directory_, kQuick).list(made.user.id);
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ((*list)[0].kind, CredentialKind::password);
  EXPECT_EQ((*list)[1].kind, CredentialKind::recovery_key);
  EXPECT_EQ((*list)[0].created_ms, clock_.now_ms());
  EXPECT_EQ((*list)[0].last_used_ms, 0);
}

TEST_F(CredentialsTest, AnAddressInAnyFormIsTakenOnceAndNothingIsLeftOfTheSecondTry) {
  (void)add_user("ayse", "correct horse", dek_);
  Credentials credentials(*directory_, kQuick);
  const NewUser again{.address = "AYSE@EXAMPLE.ORG", .mailbox_id = "other", .sealing_public = Bytes(32)};
  EXPECT_EQ(credentials.create_user(again, Secret::from_text("correct horse"), dek_).error().code,
            Code::exists);
  EXPECT_EQ(Users(*directory_).list()->size(), 1U);
}

TEST_F(CredentialsTest, AForeignDomainABadPasswordAndABadKeyAreRefused) {
  (void)add_user("ayse", "correct horse", dek_);
  Credentials credentials(*directory_, kQuick);
  NewUser user{.address = "x@elsewhere.example", .mailbox_id = "m", .sealing_public = Bytes(32)};
  const Secret good = Secret::from_text("correct horse");
  EXPECT_EQ(credentials.create_user(user, good, dek_).error().code, Code::not_found);
  user.address = "x@example.org";
  EXPECT_EQ(credentials.create_user(user, Secret::from_text("short"), dek_).error().code, Code::invalid);
  EXPECT_EQ(credentials.create_user(user, good, Secret::random(16)).error().code, Code::invalid);
  user.address = "no address";
  EXPECT_EQ(credentials.create_user(user, good, dek_).error().code, Code::invalid);
  EXPECT_EQ(Users(*directory_).list()->size(), 1U);
}

TEST_F(CredentialsTest, AppPasswordsHaveNamesAndALimit) {
  const UserId id = add_user("ayse", "correct horse", dek_).user.id;
  Credentials credentials(*directory_, kQuick);
  ASSERT_TRUE(credentials.add_app_password(id, "phone", dek_));
  EXPECT_EQ(credentials.add_app_password(id, "phone", dek_).error().code, Code::exists);
  EXPECT_EQ(credentials.add_app_password(id, "", dek_).error().code, Code::invalid);
  EXPECT_EQ(credentials.add_app_password(id + 1, "phone", dek_).error().code, Code::not_found);
  for (std::size_t i = 1; i < kMostAppPasswords; ++i)
    ASSERT_TRUE(credentials.add_app_password(id, "n" + std::to_string(i), dek_));
  EXPECT_EQ(credentials.add_app_password(id, "one more", dek_).error().code, Code::limit);
}

TEST_F(CredentialsTest, TheLastCredentialCannotBeRemoved) {
  const UserId id = add_user("ayse", "correct horse", dek_).user.id;
  Credentials credentials(*directory_, kQuick);
  const auto list = credentials.list(id).value();
  ASSERT_TRUE(credentials.remove(id, list[0].id));
  EXPECT_EQ(credentials.remove(id, list[0].id).error().code, Code::not_found);
  EXPECT_EQ(credentials.remove(id, list[1].id).error().code, Code::conflict);
  EXPECT_EQ(credentials.list(id)->size(), 1U);
  EXPECT_EQ(credentials.remove(id + 1, list[1].id).error().code, Code::not_found);
}

}  // namespace
}  // namespace muhur::accounts

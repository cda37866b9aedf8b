#include "accounts/users.hpp"

#include "accounts/fixture.hpp"

namespace muhur::accounts {
namespace {

class UsersTest : public WithDirectory {
 protected:
  Secret dek_ = Secret::random(32);
};

TEST_F(UsersTest, DomainsAreAddedOnceAndListed) {
  Users users(*directory_);
  ASSERT_TRUE(users.add_domain("Example.ORG"));
  EXPECT_EQ(users.add_domain("example.org").error().code, Code::exists);
  EXPECT_EQ(users.add_domain("no domain").error().code, Code::invalid);
  ASSERT_TRUE(users.add_domain("mühür.example"));
  EXPECT_EQ(users.domains().value(), (std::vector<std::string>{"example.org", "xn--mhr-hoab.example"}));
}

TEST_F(UsersTest, ADomainWithUsersStays) {
  const Created made = add_user("ayse", "correct horse", dek_);
  Users users(*directory_);
  EXPECT_EQ(users.remove_domain("example.org").error().code, Code::conflict);
  ASSERT_TRUE(users.remove(made.user.id));
  EXPECT_TRUE(users.remove_domain("example.org"));
  EXPECT_EQ(users.remove_domain("example.org").error().code, Code::not_found);
}

TEST_F(UsersTest, AnyCaseOfAnAddressFindsTheUser) {
  const Created made = add_user("Ayse", "correct horse", dek_);
  Users users(*directory_);
  const auto found = users.by_address("aYSE@EXAMPLE.org");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, made.user.id);
  EXPECT_EQ(found->address, "Ayse@example.org");
  EXPECT_EQ(found->sealing_public, made.user.sealing_public);
  EXPECT_EQ(users.by_id(made.user.id)->mailbox_id, made.user.mailbox_id);
  EXPECT_EQ(users.by_mailbox(made.user.mailbox_id)->id, made.user.id);
  EXPECT_EQ(users.by_mailbox("no such").error().code, Code::not_found);
  for (const std::string_view other :
       {"ayse@example.com", "ays@example.org", "nonsense", "ayse+tag@example.org"})
    EXPECT_EQ(users.by_address(other).error().code, Code::not_found) << other;
}

TEST_F(UsersTest, MailToATagReachesTheUserUnlessTheTaggedAddressIsAUserItself) {
  const Created plain = add_user("ayse", "correct horse", dek_);
  const Created exact = add_user("ayse+work", "correct horse", dek_);
  Users users(*directory_);
  std::string tag = "left over";
  EXPECT_EQ(users.recipient("Ayse@example.org", &tag)->id, plain.user.id);
  EXPECT_EQ(tag, "");
  EXPECT_EQ(users.recipient("ayse+News+Daily@example.org", &tag)->id, plain.user.id);
  EXPECT_EQ(tag, "News+Daily");
  EXPECT_EQ(users.recipient("ayse+WORK@example.org", &tag)->id, exact.user.id);
  EXPECT_EQ(tag, "");
  EXPECT_EQ(users.recipient("+ayse@example.org").error().code, Code::not_found);
  EXPECT_EQ(users.recipient("mehmet+x@example.org").error().code, Code::not_found);
}

TEST_F(UsersTest, PropertiesAreSetAndReadBack) {
  const UserId id = add_user("ayse", "correct horse", dek_).user.id;
  Users users(*directory_);
  ASSERT_TRUE(users.set_disabled(id, true));
  ASSERT_TRUE(users.set_admin(id, true));
  ASSERT_TRUE(users.set_quota(id, 5'000'000'000));
  ASSERT_TRUE(users.set_display_name(id, "Ayşe Y."));
  const auto user = users.by_id(id);
  ASSERT_TRUE(user);
  EXPECT_TRUE(user->disabled);
  EXPECT_TRUE(user->admin);
  EXPECT_EQ(user->quota_bytes, 5'000'000'000);
  EXPECT_EQ(user->display_name, "Ayşe Y.");
  EXPECT_EQ(users.set_quota(id, -1).error().code, Code::invalid);
  EXPECT_EQ(users.set_disabled(id + 1, true).error().code, Code::not_found);
}

TEST_F(UsersTest, Bug50ANewPasswordAndDisablingBeginANewEpochAndNothingElseDoes) {
  const UserId id = add_user("ayse", "correct horse", dek_).user.id;
  Users users(*directory_);
  Credentials credentials(*directory_, kQuick);
  const auto epoch = [&] { return users.by_id(id)->epoch; };
  EXPECT_EQ(epoch(), 0);
  ASSERT_TRUE(credentials.set_password(id, Secret::from_text("another horse"), dek_));
  EXPECT_EQ(epoch(), 1);
  ASSERT_TRUE(users.set_disabled(id, true));
  ASSERT_TRUE(users.set_disabled(id, false));
  EXPECT_EQ(epoch(), 2);
  ASSERT_TRUE(credentials.add_app_password(id, "phone", dek_));
  ASSERT_TRUE(credentials.renew_recovery_key(id, dek_));
  ASSERT_TRUE(users.set_admin(id, true));
  ASSERT_TRUE(users.set_display_name(id, "Ay"));
  EXPECT_EQ(epoch(), 2);
}

TEST_F(UsersTest, Bug54ARemovedUserIsGoneWithItsCredentialsAndItsIdIsNotUsedAgain) {
  const UserId first = add_user("ayse", "correct horse", dek_).user.id;
  Users users(*directory_);
  ASSERT_TRUE(users.remove(first));
  EXPECT_EQ(users.remove(first).error().code, Code::not_found);
  EXPECT_TRUE(Credentials(*directory_, kQuick).list(first)->empty());
  const UserId second = add_user("ayse", "correct horse", dek_).user.id;
  EXPECT_NE(first, second);
  EXPECT_EQ(users.list()->size(), 1U);
}

}  // namespace
}  // namespace muhur::accounts

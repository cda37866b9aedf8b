#include "accounts/fixture.hpp"

namespace muhur::accounts {
namespace {

class LookAlikeTest : public WithDirectory {
 protected:
  // Code::internal stands for: it was added.
  Code add(std::string_view local) {
    NewUser user;
    user.address = std::string(local) + "@example.org";
    user.mailbox_id = random_hex(16);
    user.sealing_public = random_bytes(32);
    const auto made =
        Credentials(*directory_, kQuick).create_user(user, Secret::from_text("correct horse"), dek_);
    return made ? Code::internal : made.error().code;
  }
  static constexpr Code kAdded = Code::internal;
  Secret dek_ = Secret::random(32);
};

TEST_F(LookAlikeTest, Bug29ANameThatIsTakenForAnothersIsRefused) {
  ASSERT_TRUE(Users(*directory_).add_domain("example.org"));
  ASSERT_EQ(add("alice"), kAdded);
  EXPECT_EQ(add("al\u0131ce"), Code::exists);  // dotless i
  ASSERT_EQ(add("peace"), kAdded);
  EXPECT_EQ(add("\u0440\u0435\u0430\u0441\u0435"), Code::exists);  // Cyrillic throughout
  EXPECT_EQ(add("\u0430lice"), Code::invalid);                     // one Cyrillic letter
  EXPECT_EQ(add("\uFF41lice"), Code::exists);                      // full width: the same name
  ASSERT_EQ(add("p\u0131nar"), kAdded);
  EXPECT_EQ(add("pinar"), Code::exists);  // whichever comes first
}

TEST_F(LookAlikeTest, NamesOfAnOlderDirectoryAreComparedToo) {
  // Each new name was compared with every other: importing 10,000 users took minutes. Version 4 keeps what
  // names look like, also of those who were there before.
  ASSERT_TRUE(Users(*directory_).add_domain("example.org"));
  ASSERT_EQ(add("alice"), kAdded);
  ASSERT_EQ(add("p\u0131nar"), kAdded);
  ASSERT_TRUE(directory_->database().write([](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(c.run("DROP INDEX users_by_look"));
    MUHUR_CHECK(c.run("ALTER TABLE users DROP COLUMN looks_like"));
    return c.run("DELETE FROM schema_version WHERE version >= 4");
  }));
  reopen();
  EXPECT_EQ(add("al\u0131ce"), Code::exists);
  EXPECT_EQ(add("pinar"), Code::exists);
  ASSERT_EQ(add("bob"), kAdded);
}

TEST_F(LookAlikeTest, Bug29HonestNamesOfEveryScriptArePossible) {
  ASSERT_TRUE(Users(*directory_).add_domain("example.org"));
  for (const std::string_view name :
       {"ay\u015fe.\u0131\u015f\u0131k", "\uD64D\uAE38\uB3D9", "\u0438\u0432\u0430\u043D", "jos\u00E9",
        "\u5C71\u7530.taro", "m\u00FCh\u00FCr"})
    EXPECT_EQ(add(name), kAdded) << name;
  // Of ASCII alone: told apart.
  for (const std::string_view name : {"modern", "modem", "user1", "userl", "burns", "bums"})
    EXPECT_EQ(add(name), kAdded) << name;
}

}  // namespace
}  // namespace muhur::accounts

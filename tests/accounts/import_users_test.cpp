#include "accounts/fixture.hpp"
#include "accounts/sign_in.hpp"
#include "passwords/bcrypt.hpp"

namespace muhur::accounts {
namespace {

class ImportUsersTest : public WithDirectory {
 protected:
  void SetUp() override {
    WithDirectory::SetUp();
    ASSERT_TRUE(Users(*directory_).add_domain("example.org"));
  }
  Credentials::Imported user(const std::string& local) const {
    return {.address = local + "@example.org", .display_name = "Imported", .record = record_};
  }
  Credentials credentials() { return Credentials(*directory_, kQuick); }

  const std::string record_ =
      passwords::to_text(passwords::make_bcrypt(as_bytes("from elsewhere"), 4).value());
};

TEST_F(ImportUsersTest, WhatWasSaidOfAUserIsKept) {
  auto plain = user("plain"), rich = user("rich");
  rich.with_mailbox = rich.admin = rich.disabled = true;
  rich.quota_bytes = 1000;
  ASSERT_TRUE(credentials().import_users({plain, rich}));
  const auto one = Users(*directory_).by_address("plain@example.org").value();
  EXPECT_EQ(one.mailbox, MailboxState::none);
  EXPECT_FALSE(one.admin || one.disabled);
  const auto other = Users(*directory_).by_address("RICH@example.org").value();
  EXPECT_EQ(other.mailbox, MailboxState::at_first_sign_in);
  EXPECT_TRUE(other.admin && other.disabled);
  EXPECT_EQ(other.quota_bytes, 1000);
  EXPECT_EQ(other.display_name, "Imported");
  EXPECT_TRUE(other.sealing_public.empty());
}

TEST_F(ImportUsersTest, ProblemsAreTheSameWhetherAskedForOrMet) {
  ASSERT_TRUE(credentials().import_users({user("taken")}));
  auto foreign = user("x");
  foreign.address = "x@elsewhere.example";
  auto no_address = user("y");
  no_address.address = "no address";
  auto unknown = user("z");
  unknown.record = "{PLAIN}secret";
  const std::vector<Credentials::Imported> all{user("good"), user("TAKEN"), foreign,
                                               no_address,   unknown,       user("GOOD")};
  const auto problems = credentials().check_import(all);
  ASSERT_TRUE(problems);
  std::vector<std::pair<std::size_t, Code>> seen;
  for (const auto& [index, error] : *problems) seen.emplace_back(index, error.code);
  EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, Code>>{{1, Code::exists},
                                                             {2, Code::not_found},
                                                             {3, Code::invalid},
                                                             {4, Code::unsupported},
                                                             {5, Code::exists}}));
  EXPECT_EQ(Users(*directory_).list()->size(), 1U) << "asking wrote something";
  for (std::size_t i = 1; i < all.size(); ++i)
    EXPECT_EQ(credentials().import_users({all[0], all[i]}).error().code, seen[i - 1].second);
  EXPECT_EQ(Users(*directory_).list()->size(), 1U) << "a part of a refused batch was written";
}

TEST_F(ImportUsersTest, UsersOfAnOlderDirectoryHaveTheMailboxThatTheyHad) {
  // Version 2 came with `mailbox`: whoever had a sealing key has one, and identities of benches have none.
  (void)add_user("old", "correct horse", Secret::random(32));
  ASSERT_TRUE(credentials().import_users({user("bench")}));
  ASSERT_TRUE(directory_->database().write([](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(c.exec("DROP INDEX users_by_look; ALTER TABLE users DROP COLUMN looks_like; "
                       "ALTER TABLE users DROP COLUMN mailbox"));
    MUHUR_CHECK(c.run("ALTER TABLE users DROP COLUMN epoch"));
    return c.run("DELETE FROM schema_version WHERE version >= 2");
  }));
  reopen();
  EXPECT_EQ(Users(*directory_).by_address("old@example.org")->mailbox, MailboxState::ready);
  EXPECT_EQ(Users(*directory_).by_address("bench@example.org")->mailbox, MailboxState::none);
}

TEST_F(ImportUsersTest, AnIdentityWithoutMailKeepsItsWaysWhenItChangesItsPassword) {
  // It had no key to wrap, and `muhur user passwd` failed with "a mailbox key must have 32 bytes".
  ASSERT_TRUE(credentials().import_users({user("sso")}));
  SignIn signing_in(*directory_, kQuick);
  const auto in = signing_in.with_password("sso@example.org", as_bytes("from elsewhere"), "local");
  ASSERT_TRUE(in && in->dek.empty());
  ASSERT_TRUE(credentials().set_password(in->user.id, Secret::from_text("another horse"), in->dek));
  const auto again = signing_in.with_password("sso@example.org", as_bytes("another horse"), "local");
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->dek.empty());
  // Of who has a mailbox, no credential may ever be without its key.
  const UserId full = add_user("full", "correct horse", Secret::random(32)).user.id;
  EXPECT_FALSE(credentials().set_password(full, Secret::from_text("another horse"), Secret()));
  EXPECT_TRUE(signing_in.with_password("full@example.org", as_bytes("correct horse"), "local"));
}

}  // namespace
}  // namespace muhur::accounts

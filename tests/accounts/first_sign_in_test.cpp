// The first sign-in of imported users, with a maker of mailboxes that only counts.
#include <atomic>
#include <thread>

#include "accounts/fixture.hpp"
#include "accounts/sign_in.hpp"
#include "passwords/bcrypt.hpp"

namespace muhur::accounts {
namespace {

class FirstSignInTest : public WithDirectory {
 protected:
  void SetUp() override {
    WithDirectory::SetUp();
    ASSERT_TRUE(Users(*directory_).add_domain("example.org"));
    const auto record = passwords::make_bcrypt(as_bytes("from elsewhere"), 4).value();
    ASSERT_TRUE(Credentials(*directory_, kQuick)
                    .import_users({{.address = "eski@example.org",
                                    .display_name = "Eski",
                                    .record = passwords::to_text(record),
                                    .with_mailbox = true}}));
  }
  std::unique_ptr<SignIn> signing_in(bool upgrade = true) {
    auto made = std::make_unique<SignIn>(*directory_, kQuick, LockoutLimits{}, upgrade);
    made->make_mailboxes_with([this](const GiveMailbox& give) -> Result<void> {
      if (fails_) return fail(Code::no_space, "the disk is full");
      ++made_;
      return give({random_hex(16), random_bytes(32), Secret::random(32)});
    });
    return made;
  }
  static Result<SignedIn> sign_in(SignIn& in, std::string_view password = "from elsewhere") {
    return in.with_password("eski@example.org", as_bytes(password), "192.0.2.1");
  }
  User user() { return Users(*directory_).by_address("eski@example.org").value(); }
  std::string record() {
    std::string text;
    EXPECT_TRUE(directory_->database().read([&](vault::Connection& c) -> Result<void> {
      MUHUR_TRY(auto st, c.prepare("SELECT record FROM credentials WHERE user_id = ?"));
      MUHUR_CHECK(st.bind(user().id).step());
      text = st.text(0);
      return {};
    }));
    return text;
  }

  std::atomic<int> made_ = 0;
  std::atomic<bool> fails_ = false;
};

TEST_F(FirstSignInTest, MakesTheMailboxOnceAndTheSameKeyOpensItFromThenOn) {
  const auto in = signing_in();
  EXPECT_FALSE(sign_in(*in, "wrong horse"));
  EXPECT_EQ(made_, 0);
  const auto first = sign_in(*in);
  ASSERT_TRUE(first) << first.error().text();
  ASSERT_EQ(first->dek.size(), 32U);
  EXPECT_EQ(made_, 1);
  const User now = user();
  EXPECT_EQ(now.mailbox, MailboxState::ready);
  EXPECT_EQ(now.mailbox_id, first->user.mailbox_id);
  EXPECT_EQ(now.sealing_public.size(), 32U);
  EXPECT_TRUE(record().starts_with("muhur$argon2id$"));
  const auto second = sign_in(*signing_in());
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->dek == first->dek);
  EXPECT_EQ(made_, 1);
}

TEST_F(FirstSignInTest, TwentyAtOnceMakeOneMailboxAndAllGetItsKey) {
  const auto in = signing_in();
  std::vector<std::optional<SignedIn>> got(20);
  {
    std::vector<std::jthread> threads;
    for (auto& one : got)
      threads.emplace_back([&] {
        // Guesses that are being verified are bounded by account: later ones wait for their turn.
        if (auto signed_in = sign_in(*in)) one = std::move(*signed_in);
      });
  }
  EXPECT_EQ(made_, 1);
  for (const auto& one : got) {
    ASSERT_TRUE(one);
    EXPECT_TRUE(one->dek == got[0]->dek);
    EXPECT_EQ(one->user.mailbox_id, user().mailbox_id);
  }
}

TEST_F(FirstSignInTest, ItDoesNotDependOnUpgrades) {
  const auto in = signing_in(false);
  ASSERT_EQ(sign_in(*in)->dek.size(), 32U);
  EXPECT_TRUE(record().starts_with("muhur$argon2id$"));
}

TEST_F(FirstSignInTest, WhatFailedIsDoneByTheNext) {
  const auto in = signing_in();
  fails_ = true;
  EXPECT_EQ(sign_in(*in).error().code, Code::no_space);
  EXPECT_EQ(user().mailbox, MailboxState::at_first_sign_in);
  EXPECT_TRUE(record().starts_with("$2b$"));
  fails_ = false;
  EXPECT_EQ(sign_in(*in)->dek.size(), 32U);
}

TEST_F(FirstSignInTest, WhoIsDisabledOrDeletedMeanwhileGetsTheOneRefusal) {
  auto in = std::make_unique<SignIn>(*directory_, kQuick);
  bool remove = false;
  in->make_mailboxes_with([&](const GiveMailbox& give) -> Result<void> {
    EXPECT_TRUE(remove ? Users(*directory_).remove(user().id)
                       : Users(*directory_).set_disabled(user().id, true));
    return give({random_hex(16), random_bytes(32), Secret::random(32)});
  });
  const auto disabled = sign_in(*in);
  ASSERT_FALSE(disabled);
  EXPECT_EQ(user().mailbox, MailboxState::at_first_sign_in);
  ASSERT_TRUE(Users(*directory_).set_disabled(user().id, false));
  remove = true;
  const auto removed = sign_in(*in);
  ASSERT_FALSE(removed);
  const auto unknown = in->with_password("nobody@example.org", as_bytes("wrong horse"), "192.0.2.1");
  EXPECT_EQ(disabled.error().text(), unknown.error().text());
  EXPECT_EQ(removed.error().text(), unknown.error().text());
}

TEST_F(FirstSignInTest, WithoutAMakerTheKeyIsEmptyAndTheMailboxStillToBeMade) {
  SignIn in(*directory_, kQuick);
  const auto first = sign_in(in);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->dek.empty());
  EXPECT_EQ(user().mailbox, MailboxState::at_first_sign_in);
  // The record is ours by now and has no wrap: that must not keep the mailbox from being made.
  EXPECT_EQ(sign_in(*signing_in())->dek.size(), 32U);
}

}  // namespace
}  // namespace muhur::accounts

#include "accounts/sign_in.hpp"

#include <thread>

#include "accounts/audit.hpp"
#include "accounts/fixture.hpp"

namespace muhur::accounts {
namespace {

constexpr std::string_view kPeer = "192.0.2.1:50000";
constexpr std::string_view kAddress = "ayse@example.org";
constexpr std::string_view kPassword = "correct horse";

class SignInTest : public WithDirectory {
 protected:
  void SetUp() override {
    WithDirectory::SetUp();
    if (HasFatalFailure()) return;
    made_ = add_user("ayse", kPassword, dek_);
    id_ = made_.user.id;
  }
  static Result<SignedIn> enter(SignIn& sign_in, std::string_view address, std::string_view password) {
    return sign_in.with_password(address, as_bytes(password), kPeer);
  }
  std::string stored_record() {
    return directory_->database()
        .read([](vault::Connection& c) {
          return c.query_text("SELECT record FROM credentials WHERE kind = 1");
        })
        .value();
  }
  Secret dek_ = Secret::random(32);
  Created made_;
  UserId id_ = 0;
};

TEST_F(SignInTest, ThePasswordOpensTheMailboxKey) {
  SignIn sign_in(*directory_, kQuick);
  const auto in = enter(sign_in, "AYSE@Example.Org", kPassword);
  ASSERT_TRUE(in) << in.error().text();
  EXPECT_EQ(in->user.id, id_);
  EXPECT_TRUE(in->dek == dek_);
  EXPECT_EQ(in->how, CredentialKind::password);
}

TEST_F(SignInTest, Bug29AnotherSpellingOfTheSameCharactersIsTheSamePassword) {
  ASSERT_TRUE(Credentials(*directory_, kQuick).set_password(id_, Secret::from_text("mühür mühür"), dek_));
  SignIn sign_in(*directory_, kQuick);
  EXPECT_TRUE(enter(sign_in, kAddress, "mu\u0308hu\u0308r mu\u0308hu\u0308r"));
}

TEST_F(SignInTest, Bug46WrongUnknownAndDisabledLookTheSame) {
  SignIn sign_in(*directory_, kQuick);
  const auto wrong = enter(sign_in, kAddress, "wrong horse");
  const auto unknown = enter(sign_in, "mehmet@example.org", kPassword);
  const auto elsewhere = enter(sign_in, "ayse@example.com", kPassword);
  const auto nonsense = enter(sign_in, "no address at all", kPassword);
  ASSERT_TRUE(Users(*directory_).set_disabled(id_, true));
  const auto disabled = enter(sign_in, kAddress, kPassword);
  for (const auto* refused : {&wrong, &unknown, &elsewhere, &nonsense, &disabled}) {
    ASSERT_FALSE(*refused);
    EXPECT_EQ(refused->error().code, Code::denied);
    EXPECT_EQ(refused->error().text(), wrong.error().text());
  }
  ASSERT_TRUE(Users(*directory_).set_disabled(id_, false));
  EXPECT_TRUE(enter(sign_in, kAddress, kPassword));
}

TEST_F(SignInTest, Bug27WhatCannotBeAPasswordIsDenied) {
  SignIn sign_in(*directory_, kQuick);
  for (const std::string& bad :
       {std::string(), std::string(5000, 'a'), std::string("a\0b", 3), std::string("\xFF")})
    EXPECT_EQ(enter(sign_in, kAddress, bad).error().code, Code::denied);
}

TEST_F(SignInTest, AfterAChangeOnlyTheNewPasswordOpens) {
  SignIn sign_in(*directory_, kQuick);
  ASSERT_TRUE(Credentials(*directory_, kQuick).set_password(id_, Secret::from_text("battery staple"), dek_));
  EXPECT_EQ(enter(sign_in, kAddress, kPassword).error().code, Code::denied);
  const auto in = enter(sign_in, kAddress, "battery staple");
  ASSERT_TRUE(in);
  EXPECT_TRUE(in->dek == dek_);
}

TEST_F(SignInTest, AppPasswordsOpenTheSameKeyEachByItself) {
  Credentials credentials(*directory_, kQuick);
  const std::string phone = credentials.add_app_password(id_, "phone", dek_).value();
  const std::string tablet = credentials.add_app_password(id_, "tablet", dek_).value();
  SignIn sign_in(*directory_, kQuick);
  for (const std::string& password : {phone, tablet}) {
    const auto in = enter(sign_in, kAddress, password);
    ASSERT_TRUE(in);
    EXPECT_EQ(in->how, CredentialKind::app_password);
    EXPECT_TRUE(in->dek == dek_);
  }
  for (const CredentialInfo& info : credentials.list(id_).value())
    if (info.name == "phone") {
      ASSERT_TRUE(credentials.remove(id_, info.id));
    }
  EXPECT_EQ(enter(sign_in, kAddress, phone).error().code, Code::denied);
  EXPECT_TRUE(enter(sign_in, kAddress, tablet));
  EXPECT_TRUE(enter(sign_in, kAddress, kPassword));
}

TEST_F(SignInTest, AnAppPasswordOfOneUserIsNoneOfAnothers) {
  const Secret other_dek = Secret::random(32);
  (void)add_user("mehmet", "another horse", other_dek);
  const std::string app = Credentials(*directory_, kQuick).add_app_password(id_, "phone", dek_).value();
  SignIn sign_in(*directory_, kQuick);
  EXPECT_EQ(enter(sign_in, "mehmet@example.org", app).error().code, Code::denied);
}

TEST_F(SignInTest, AWrapMovedToAnotherUserDoesNotOpen) {
  const Secret other_dek = Secret::random(32);
  const UserId other = add_user("mehmet", kPassword, other_dek).user.id;
  ASSERT_TRUE(directory_->database().write([&](vault::Connection& c) -> Result<void> {
    MUHUR_CHECK(c.run("DELETE FROM credentials WHERE user_id = ?", id_));
    return c.run("UPDATE credentials SET user_id = ? WHERE user_id = ?", id_, other);
  }));
  SignIn sign_in(*directory_, kQuick);
  const auto in = enter(sign_in, kAddress, kPassword);
  ASSERT_FALSE(in);
  EXPECT_EQ(in.error().code, Code::corrupt);
}

TEST_F(SignInTest, TheRecoveryKeyOpensHoweverItIsTyped) {
  SignIn sign_in(*directory_, kQuick);
  std::string typed = made_.recovery_key;
  for (char& c : typed)
    c = c == '-' ? ' ' : c == '0' ? 'o' : c == '1' ? 'l' : static_cast<char>(std::tolower(c));
  for (const std::string& key : {made_.recovery_key, typed}) {
    const auto in = sign_in.with_recovery_key(kAddress, key, kPeer);
    ASSERT_TRUE(in) << in.error().text();
    EXPECT_EQ(in->how, CredentialKind::recovery_key);
    EXPECT_TRUE(in->dek == dek_);
  }
}

TEST_F(SignInTest, ARenewedRecoveryKeyReplacesTheOld) {
  const std::string renewed = Credentials(*directory_, kQuick).renew_recovery_key(id_, dek_).value();
  SignIn sign_in(*directory_, kQuick);
  EXPECT_EQ(sign_in.with_recovery_key(kAddress, made_.recovery_key, kPeer).error().code, Code::denied);
  EXPECT_TRUE(sign_in.with_recovery_key(kAddress, renewed, kPeer));
  EXPECT_EQ(sign_in.with_recovery_key("mehmet@example.org", renewed, kPeer).error().code, Code::denied);
  EXPECT_EQ(sign_in.with_recovery_key(kAddress, "not a key", kPeer).error().code, Code::denied);
  ASSERT_TRUE(Users(*directory_).set_disabled(id_, true));
  EXPECT_EQ(sign_in.with_recovery_key(kAddress, renewed, kPeer).error().code, Code::denied);
}

TEST_F(SignInTest, TheRecoveryKeyIsNoPassword) {
  SignIn sign_in(*directory_, kQuick);
  EXPECT_EQ(enter(sign_in, kAddress, made_.recovery_key).error().code, Code::denied);
}

TEST_F(SignInTest, Bug20GuessesUnderEveryFormOfAnAddressShareOneCounter) {
  SignIn sign_in(*directory_, kQuick);
  const std::string_view forms[] = {"ayse@example.org", "AYSE@example.org", "Ayse@EXAMPLE.ORG",
                                    "ａyse@example.org", "ayse@example.org."};
  for (const std::string_view form : forms)
    EXPECT_EQ(enter(sign_in, form, "wrong").error().code, Code::denied);
  for (const std::string_view form : forms)
    EXPECT_EQ(enter(sign_in, form, kPassword).error().code, Code::busy);
  clock_.advance(Millis(1000));
  EXPECT_TRUE(enter(sign_in, kAddress, kPassword));
}

TEST_F(SignInTest, Bug19AnUnknownAddressIsSlowedDownLikeAKnownOne) {
  SignIn sign_in(*directory_, kQuick);
  std::vector<std::string> known;
  std::vector<std::string> unknown;
  for (int i = 0; i < 8; ++i) {
    known.push_back(enter(sign_in, kAddress, "wrong").error().text());
    unknown.push_back(enter(sign_in, "nobody@example.org", "wrong").error().text());
  }
  EXPECT_EQ(known, unknown);
}

TEST_F(SignInTest, GuessingAtThePasswordDoesNotBlockRecovery) {
  SignIn sign_in(*directory_, kQuick);
  for (int i = 0; i < 8; ++i) (void)enter(sign_in, kAddress, "wrong");
  EXPECT_TRUE(sign_in.with_recovery_key(kAddress, made_.recovery_key, kPeer));
}

TEST_F(SignInTest, AnAppPasswordForgivesNoGuessesAtThePassword) {
  // Who had one could guess at the password for ever, using it after every few wrong guesses.
  const std::string phone = Credentials(*directory_, kQuick).add_app_password(id_, "phone", dek_).value();
  SignIn sign_in(*directory_, kQuick);
  ASSERT_TRUE(enter(sign_in, kAddress, phone));  // from here on the network is known
  int denied = 0;
  for (int i = 0; i < 20; ++i) {
    if (enter(sign_in, kAddress, "wrong").error().code == Code::denied) ++denied;
    (void)enter(sign_in, kAddress, phone);
  }
  EXPECT_EQ(denied, 5);
  clock_.advance(Millis(1000));
  EXPECT_TRUE(enter(sign_in, kAddress, phone));
}

TEST_F(SignInTest, Bug40ParallelWrongGuessesAreEachCounted) {
  SignIn sign_in(*directory_, kQuick);
  std::atomic<int> denied{0};
  std::atomic<int> busy{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t)
    threads.emplace_back([&] {
      const auto refused = enter(sign_in, kAddress, "wrong");
      if (refused) return;
      if (refused.error().code == Code::denied) ++denied;
      if (refused.error().code == Code::busy) ++busy;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(denied, 5);
  EXPECT_EQ(busy, 7);
}

TEST_F(SignInTest, Bug34AHeldWriteLockMakesNoPasswordWrong) {
  SignIn sign_in(*directory_, kQuick);
  const vault::Key key = database_key(server_key_, "directory");
  vault::OpenOptions options;
  options.path = data_ / "directory.db";
  options.key = &key;
  auto holder = vault::Connection::open(options);
  ASSERT_TRUE(holder) << holder.error().text();
  ASSERT_TRUE((*holder)->exec("BEGIN IMMEDIATE"));
  // What a sign-in writes (counters, the audit) is written when it can be.
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(enter(sign_in, kAddress, kPassword));
    EXPECT_EQ(enter(sign_in, kAddress, "wrong").error().code, Code::denied);
  }
  ASSERT_TRUE((*holder)->exec("COMMIT"));
  settle();
  const auto rows = Audit(*directory_).list(100, id_);
  ASSERT_TRUE(rows);
  EXPECT_EQ(std::ranges::count(*rows, "denied", &AuditRow::outcome), 3);
}

TEST_F(SignInTest, ARaisedCostIsTakenOverAtTheNextSignIn) {
  const crypto::Argon2Cost raised{128, 2};
  {
    SignIn sign_in(*directory_, raised);
    EXPECT_EQ(enter(sign_in, kAddress, "wrong").error().code, Code::denied);
    EXPECT_THAT(stored_record(), testing::StartsWith("muhur$argon2id$m=64,t=1$"));
    ASSERT_TRUE(enter(sign_in, kAddress, kPassword));
    EXPECT_THAT(stored_record(), testing::StartsWith("muhur$argon2id$m=128,t=2$"));
  }
  SignIn sign_in(*directory_, raised);
  const std::string before = stored_record();
  const auto in = enter(sign_in, kAddress, kPassword);
  ASSERT_TRUE(in);
  EXPECT_TRUE(in->dek == dek_);
  EXPECT_EQ(stored_record(), before);
}

TEST_F(SignInTest, LastUseIsNotedOnceAnHour) {
  SignIn sign_in(*directory_, kQuick);
  Credentials credentials(*directory_, kQuick);
  const std::int64_t first = clock_.now_ms();
  ASSERT_TRUE(enter(sign_in, kAddress, kPassword));
  settle();
  EXPECT_EQ(credentials.list(id_).value()[0].last_used_ms, first);
  clock_.advance(std::chrono::minutes(30));
  ASSERT_TRUE(enter(sign_in, kAddress, kPassword));
  settle();
  EXPECT_EQ(credentials.list(id_).value()[0].last_used_ms, first);
  clock_.advance(std::chrono::minutes(31));
  ASSERT_TRUE(enter(sign_in, kAddress, kPassword));
  settle();
  EXPECT_EQ(credentials.list(id_).value()[0].last_used_ms, clock_.now_ms());
}

TEST_F(SignInTest, TheAuditTellsOfEachRefusalAndOfSuccessesOnceAnHour) {
  SignIn sign_in(*directory_, kQuick);
  ASSERT_FALSE(enter(sign_in, kAddress, "wrong"));
  ASSERT_FALSE(enter(sign_in, "my secret typed as a name", "wrong"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(enter(sign_in, kAddress, kPassword));
  settle();
  std::vector<AuditRow> rows;
  for (AuditRow& row : Audit(*directory_).list(100).value())
    if (row.action == "sign-in") rows.push_back(std::move(row));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].outcome, "ok");
  EXPECT_EQ(rows[0].detail, "password");
  EXPECT_EQ(rows[0].peer, kPeer);
  EXPECT_EQ(rows[1].outcome, "denied");
  EXPECT_EQ(rows[1].user, std::nullopt);
  EXPECT_EQ(rows[2].user, id_);
  for (const AuditRow& row : rows)
    EXPECT_THAT(row.detail + row.peer + row.actor, testing::Not(testing::HasSubstr("secret")));
}

TEST_F(SignInTest, ADamagedRecordOfOneUserHarmsNobodyElse) {
  (void)add_user("mehmet", "another horse", Secret::random(32));
  ASSERT_TRUE(directory_->database().write([&](vault::Connection& c) {
    return c.run("UPDATE credentials SET record = 'muhur$argon2id$m=1' WHERE user_id = ? AND kind = 1", id_);
  }));
  SignIn sign_in(*directory_, kQuick);
  EXPECT_EQ(enter(sign_in, kAddress, kPassword).error().code, Code::denied);
  EXPECT_TRUE(enter(sign_in, "mehmet@example.org", "another horse"));
  EXPECT_TRUE(sign_in.with_recovery_key(kAddress, made_.recovery_key, kPeer));
}

}  // namespace
}  // namespace muhur::accounts

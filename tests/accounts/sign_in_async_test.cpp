#include "accounts/sign_in_async.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "accounts/fixture.hpp"
#include "passwords/bcrypt.hpp"

namespace muhur::accounts {
namespace {

class SignInAsyncTest : public WithDirectory {
 protected:
  Result<SignedIn> sign_in(SignIn& signing_in, std::string address, std::string_view password) {
    std::optional<Result<SignedIn>> got;
    boost::asio::co_spawn(io_,
                          accounts::sign_in(signing_in, verifier_, pools_, std::move(address),
                                            Secret::from_text(password), "192.0.2.1"),
                          [&](std::exception_ptr, Result<SignedIn> r) { got.emplace(std::move(r)); });
    io_.restart();
    while (!got) io_.run_one();
    return std::move(*got);
  }
  void import(const std::string& local, std::string_view password) {
    (void)Users(*directory_).add_domain("example.org");
    const auto record = passwords::make_bcrypt(as_bytes(password), 4);
    ASSERT_TRUE(record);
    ASSERT_TRUE(Credentials(*directory_, kQuick)
                    .import_users({{local + "@example.org", "Imported", passwords::to_text(*record)}}));
  }
  std::string record_of(UserId user) {
    std::string text;
    EXPECT_TRUE(directory_->database().read([&](vault::Connection& c) -> Result<void> {
      MUHUR_TRY(auto st, c.prepare("SELECT record FROM credentials WHERE user_id = ? AND kind = 1"));
      MUHUR_CHECK(st.bind(user).step());
      text = st.text(0);
      return {};
    }));
    return text;
  }

  boost::asio::io_context io_;
  net::Pools pools_{{"storage", 1}, {"passwords", 1}, {"heavy", 1}};
  passwords::HashPool hashes_{{.threads = 1}};
  passwords::Verifier verifier_{io_.get_executor(), hashes_};
};

TEST_F(SignInAsyncTest, OpensTheSameKeyAsTheBlockingCall) {
  const Secret dek = Secret::random(32);
  add_user("ayse", "correct horse", dek);
  SignIn signing_in(*directory_, kQuick);
  const auto in = sign_in(signing_in, "ayse@example.org", "correct horse");
  ASSERT_TRUE(in) << in.error().text();
  EXPECT_TRUE(in->dek == dek);
}

TEST_F(SignInAsyncTest, WrongAndUnknownGiveOneSameRefusal) {
  add_user("ayse", "correct horse", Secret::random(32));
  import("eski", "from elsewhere");
  SignIn signing_in(*directory_, kQuick);
  const auto wrong = sign_in(signing_in, "ayse@example.org", "wrong horse");
  const auto bcrypt = sign_in(signing_in, "eski@example.org", "wrong horse");
  const auto unknown = sign_in(signing_in, "nobody@example.org", "wrong horse");
  ASSERT_FALSE(wrong || bcrypt || unknown);
  EXPECT_EQ(wrong.error().code, Code::denied);
  EXPECT_EQ(wrong.error().text(), unknown.error().text());
  EXPECT_EQ(bcrypt.error().text(), unknown.error().text());
}

TEST_F(SignInAsyncTest, GuessesAreCountedBeforeAnythingIsHashed) {
  add_user("ayse", "correct horse", Secret::random(32));
  SignIn signing_in(*directory_, kQuick);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(sign_in(signing_in, "ayse@example.org", "wrong horse"));
  const auto hashed = hashes_.figures().done;
  const auto waits = sign_in(signing_in, "ayse@example.org", "correct horse");
  ASSERT_FALSE(waits);
  EXPECT_EQ(waits.error().code, Code::busy);
  EXPECT_EQ(hashes_.figures().done, hashed);
}

// Bug: each waited on one of the few threads for the outcome of attempts before it, and meanwhile nobody else
// could sign in.
TEST_F(SignInAsyncTest, WhoWaitsForOthersAttemptsOnAnAccountKeepsNobodyElseWaiting) {
  import("kurban", "geheim");
  import("baska", "geheim");
  SignIn signing_in(*directory_, kQuick, {}, false);
  std::vector<SignIn::Started> flying;  // as when their hashes take long
  for (int i = 0; i < 5; ++i) {
    auto started = signing_in.try_prepare("kurban@example.org", as_bytes("geheim"), "192.0.2.1", [] {});
    ASSERT_TRUE(started && *started);
    flying.push_back(std::move(**started));
  }
  int answered = 0, right = 0;
  for (int i = 0; i < 20; ++i)
    boost::asio::co_spawn(io_,
                          accounts::sign_in(signing_in, verifier_, pools_, "kurban@example.org",
                                            Secret::from_text("geheim"), "192.0.2.1"),
                          [&](std::exception_ptr, Result<SignedIn> got) {
                            ++answered;
                            right += got ? 1 : 0;
                          });
  EXPECT_TRUE(sign_in(signing_in, "baska@example.org", "geheim"));
  EXPECT_EQ(answered, 0);
  flying.clear();
  while (answered < 20) io_.run_one();
  EXPECT_EQ(right, 20);
}

TEST_F(SignInAsyncTest, WhoseTurnDoesNotComeInTimeIsToldSoAndNotThatTheyWereWrong) {
  import("kurban", "geheim");
  passwords::VerifierOptions options;
  options.deadline = std::chrono::milliseconds(20);
  passwords::Verifier hasty(io_.get_executor(), hashes_, std::move(options));
  SignIn signing_in(*directory_, kQuick, {}, false);
  std::vector<SignIn::Started> flying;
  for (int i = 0; i < 5; ++i)
    flying.push_back(
        std::move(**signing_in.try_prepare("kurban@example.org", as_bytes("geheim"), "192.0.2.1", [] {})));
  std::optional<Result<SignedIn>> got;
  boost::asio::co_spawn(io_,
                        accounts::sign_in(signing_in, hasty, pools_, "kurban@example.org",
                                          Secret::from_text("geheim"), "192.0.2.1"),
                        [&](std::exception_ptr, Result<SignedIn> r) { got.emplace(std::move(r)); });
  while (!got) io_.run_one();
  ASSERT_FALSE(*got);
  EXPECT_EQ(got->error().code, Code::timed_out);
}

TEST_F(SignInAsyncTest, AnImportedUserHasNoMailboxAndGetsAnArgon2RecordAtTheFirstSignIn) {
  import("eski", "from elsewhere");
  SignIn signing_in(*directory_, kQuick);
  const auto first = sign_in(signing_in, "eski@example.org", "from elsewhere");
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_TRUE(first->dek.empty());
  EXPECT_TRUE(record_of(first->user.id).starts_with("muhur$argon2id$"));
  const auto second = sign_in(signing_in, "eski@example.org", "from elsewhere");
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->dek.empty());
  EXPECT_FALSE(sign_in(signing_in, "eski@example.org", "from nowhere"));
}

// A bug: the upgrade was hashed by the server itself, workers or not.
TEST_F(SignInAsyncTest, AnUpgradeIsHashedWhereverVerifyingIs) {
  import("eski", "from elsewhere");
  SignIn signing_in(*directory_, kQuick);
  ASSERT_TRUE(sign_in(signing_in, "eski@example.org", "from elsewhere"));
  EXPECT_EQ(hashes_.figures().done, 3u);  // the old record; the new one; the key behind it
  ASSERT_TRUE(sign_in(signing_in, "eski@example.org", "from elsewhere"));
  EXPECT_EQ(hashes_.figures().done, 4u);
}

TEST_F(SignInAsyncTest, WithoutUpgradesTheRecordStays) {
  import("eski", "from elsewhere");
  SignIn signing_in(*directory_, kQuick, {}, false);
  const auto in = sign_in(signing_in, "eski@example.org", "from elsewhere");
  ASSERT_TRUE(in);
  EXPECT_TRUE(record_of(in->user.id).starts_with("$2b$04$"));
  EXPECT_TRUE(signing_in.with_password("eski@example.org", as_bytes("from elsewhere"), "local"));
}

}  // namespace
}  // namespace muhur::accounts

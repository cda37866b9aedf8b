// The device authorization grant.
#include "oidc/device.hpp"

#include <thread>

#include "oidc/provider_fixture.hpp"

namespace muhur::oidc {
namespace {

class DeviceTest : public WithProvider {
 protected:
  void SetUp() override {
    WithProvider::SetUp();
    (void)sign_in(request());
  }
  boost::json::object begin(std::string scope = "openid mail") {
    const auto form = form_of({{"client_id", "app"}, {"scope", std::move(scope)}});
    TokenRequest request;
    request.presented.form = &form;
    auto answer = run(provider_->device_authorize(std::move(request)));
    EXPECT_TRUE(answer) << answer.error().description;
    return answer.value_or(boost::json::object());
  }
  JsonAnswer poll(const std::string& device_code, const std::string& client = "app") {
    return post({{"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
                 {"device_code", device_code},
                 {"client_id", client}});
  }
  Result<void> decide(const std::string& user_code, bool approved, const std::string& cookie) {
    return run(provider_->decide_device(user_code, browser(cookie), approved));
  }
};

TEST_F(DeviceTest, ADeviceGetsTokensAndTheMailboxKeyOnceItIsApproved) {
  const auto begun = begin();
  const auto device = text(begun, "device_code"), typed = text(begun, "user_code");
  EXPECT_EQ(text(begun, "verification_uri_complete"), std::string(kIssuer) + "/device?user_code=" + typed);
  EXPECT_EQ(refused(poll(device)), "authorization_pending");
  const auto asked = run(provider_->find_device(typed, browser(cookie_)));
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->client->id, "app");
  EXPECT_EQ(asked->scopes, (std::vector<std::string>{"openid", "mail"}));
  ASSERT_TRUE(decide(typed, true, cookie_));
  pass(5);
  const auto answer = poll(device);
  ASSERT_TRUE(answer) << answer.error().description;
  EXPECT_TRUE(run(provider_->token_info(text(*answer, "access_token")))->dek == dek_);
  EXPECT_EQ(text(id_token_claims(*answer), "aud"), "app");
  EXPECT_TRUE(post(refreshing(text(*answer, "refresh_token"))));
  EXPECT_EQ(refused(poll(device)), "invalid_grant");
}

TEST_F(DeviceTest, Bug14LookingAtARequestApprovesNothing) {
  const auto begun = begin();
  ASSERT_TRUE(run(provider_->find_device(text(begun, "user_code"), browser(cookie_))));
  EXPECT_EQ(refused(poll(text(begun, "device_code"))), "authorization_pending");
}

TEST_F(DeviceTest, PollingTooFastIsSlowedDown) {
  const auto device = text(begin(), "device_code");
  EXPECT_EQ(refused(poll(device)), "authorization_pending");
  EXPECT_EQ(refused(poll(device)), "slow_down");
  pass(9);
  EXPECT_EQ(refused(poll(device)), "slow_down");  // ten seconds now
  pass(15);
  EXPECT_EQ(refused(poll(device)), "authorization_pending");
}

TEST_F(DeviceTest, ANoIsTold) {
  const auto begun = begin();
  ASSERT_TRUE(decide(text(begun, "user_code"), false, cookie_));
  EXPECT_EQ(refused(poll(text(begun, "device_code"))), "access_denied");
  EXPECT_FALSE(decide(text(begun, "user_code"), true, cookie_));
}

TEST_F(DeviceTest, ACodeRunsOut) {
  const auto begun = begin();
  pass(600);
  EXPECT_EQ(refused(poll(text(begun, "device_code"))), "expired_token");
  EXPECT_EQ(decide(text(begun, "user_code"), true, cookie_).error().code, muhur::Code::not_found);
}

TEST_F(DeviceTest, OnlyWhoIsSignedInDecides) {
  const auto begun = begin();
  EXPECT_EQ(decide(text(begun, "user_code"), true, "").error().code, muhur::Code::denied);
  EXPECT_EQ(refused(poll(text(begun, "device_code"))), "authorization_pending");
}

TEST_F(DeviceTest, ADeviceCodeIsItsClientsAlone) {
  const auto begun = begin();
  ASSERT_TRUE(decide(text(begun, "user_code"), true, cookie_));
  EXPECT_EQ(refused(poll(text(begun, "device_code"), "other")), "invalid_grant");
  EXPECT_TRUE(poll(text(begun, "device_code")));
}

TEST_F(DeviceTest, Bug39OfTwentyParallelPollsOneIsAnswered) {
  const auto begun = begin();
  ASSERT_TRUE(decide(text(begun, "user_code"), true, cookie_));
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 20; ++i)
      threads.emplace_back([&] { good += poll(text(begun, "device_code")).has_value(); });
  }
  EXPECT_EQ(good, 1);
}

TEST_F(DeviceTest, Bug14GuessingUserCodesIsSlowed) {
  const auto typed = text(begin(), "user_code");
  for (int i = 0; i < UserCodeGuard::kPerNetwork; ++i)
    EXPECT_EQ(run(provider_->find_device("BBBB-BBBB", browser(cookie_))).error().code,
              muhur::Code::not_found);
  EXPECT_EQ(run(provider_->find_device(typed, browser(cookie_))).error().code, muhur::Code::busy);
  pass(UserCodeGuard::kWindow_s);
  EXPECT_EQ(run(provider_->find_device(typed, browser(cookie_))).error().code, muhur::Code::not_found);
  EXPECT_TRUE(run(provider_->find_device(text(begin(), "user_code"), browser(cookie_))));
}

TEST(UserCodeGuardTest, Bug14ManyGuessesAtOnceAreNotMoreThanOneAfterTheOther) {
  // Each was let in before any of them had been found wrong.
  UserCodeGuard guard;
  std::vector<UserCodeGuard::Look> looks;
  for (int i = 0; i < 100; ++i)
    if (auto look = guard.admit("192.0.2.1:5000", 1'000)) looks.push_back(std::move(*look));
  EXPECT_EQ(looks.size(), static_cast<std::size_t>(UserCodeGuard::kPerNetwork));
  EXPECT_TRUE(guard.admit("192.0.2.2:5000", 1'000));
  for (std::size_t i = 1; i < looks.size(); ++i) looks[i].wrong(1'000 + static_cast<std::int64_t>(i));
  looks.clear();  // the first was right: it counts no more
  EXPECT_TRUE(guard.admit("192.0.2.1:5000", 1'010));
  guard.admit("192.0.2.1:5000", 1'010)->wrong(1'010);
  const auto refused = guard.admit("192.0.2.1:6000", 1'011);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().remedy, "Wait 590 s and try again");
  EXPECT_TRUE(guard.admit("192.0.2.1:5000", 1'601));
}

TEST(UserCodeTest, ACodeIsReadAsPeopleTypeIt) {
  const auto made = make_user_code();
  EXPECT_EQ(made.size(), 9U);
  EXPECT_EQ(read_user_code("wdjb mjht"), "WDJBMJHT");
  EXPECT_EQ(read_user_code(" WDJB-MJHT\n"), "WDJBMJHT");
  EXPECT_EQ(show_user_code("wdjbmjht"), "WDJB-MJHT");
  EXPECT_EQ(show_user_code("wdjb"), "");
  EXPECT_EQ(read_user_code("WDJB-MJH"), "");
  EXPECT_EQ(read_user_code(std::string(65, 'B')), "");
}

}  // namespace
}  // namespace muhur::oidc

// What was begun once and does not stand any more, by every way that leads to it.
#include <thread>

#include "accounts/credentials.hpp"
#include "accounts/users.hpp"
#include "oidc/provider_fixture.hpp"

namespace muhur::oidc {
namespace {

class StandingTest : public WithProvider {
 protected:
  std::expected<Provider::UserInfo, OAuthError> userinfo(const std::string& token) {
    return run(provider_->userinfo(token, false, {}, "GET"));
  }
  bool session_lives() { return run(provider_->session_user(browser(cookie_))).has_value(); }
  // Takes the client away and adds another of its name, a moment later.
  void replace(std::string_view id) {
    const Client client = *provider_->clients().find(id);
    ASSERT_TRUE(provider_->clients().remove(id));
    pass(1);
    add(client);
  }
};

TEST_F(StandingTest, Bug50ANewPasswordEndsEverythingThoughNobodyHeardOfIt) {
  // `muhur user passwd` beside a stopped server: sessions and refresh tokens went on when it started.
  const auto answer = tokens({{"scope", "openid offline_access"}});
  const auto pending = authorize(request("app"), browser(cookie_));
  ASSERT_TRUE(session_lives());
  const std::int64_t before = user_.epoch;
  ASSERT_TRUE(accounts::Credentials(*directory_, accounts::kQuick)
                  .set_password(user_.id, Secret::from_text("another horse"), dek_));
  EXPECT_FALSE(session_lives());
  EXPECT_TRUE(run(provider_->sessions(user_.id, browser(cookie_)))->empty());
  EXPECT_FALSE(is_active(text(answer, "access_token")));
  EXPECT_FALSE(is_active(text(answer, "refresh_token")));
  EXPECT_FALSE(run(provider_->token_info(text(answer, "access_token"))));
  EXPECT_EQ(refused(post(refreshing(text(answer, "refresh_token")))), "invalid_grant");
  EXPECT_EQ(refused(post(redeeming(std::string(pending.parameters.value("code"))))), "invalid_grant");
  // A proof from before the change, whose page comes late, begins a session that is over.
  ASSERT_EQ(user_.epoch, before);
  (void)sign_in(request());
  EXPECT_FALSE(session_lives());
  user_ = *accounts::Users(*directory_).by_id(user_.id);
  EXPECT_EQ(user_.epoch, before + 1);
  (void)sign_in(request());
  EXPECT_TRUE(session_lives());
}

TEST_F(StandingTest, Bug50EnablingAUserBringsNoSessionBack) {
  const auto answer = tokens();
  accounts::Users users(*directory_);
  ASSERT_TRUE(users.set_disabled(user_.id, true));
  ASSERT_TRUE(users.set_disabled(user_.id, false));
  EXPECT_FALSE(session_lives());
  EXPECT_EQ(refused(post(refreshing(text(answer, "refresh_token")))), "invalid_grant");
}

TEST_F(StandingTest, Bug50AnApprovalFromBeforeANewPasswordGivesADeviceNothing) {
  (void)sign_in(request());
  const auto form = form_of({{"client_id", "app"}, {"scope", "openid"}});
  TokenRequest asked;
  asked.presented.form = &form;
  const auto begun = run(provider_->device_authorize(std::move(asked)));
  ASSERT_TRUE(begun);
  ASSERT_TRUE(run(provider_->decide_device(text(*begun, "user_code"), browser(cookie_), true)));
  ASSERT_TRUE(accounts::Credentials(*directory_, accounts::kQuick)
                  .set_password(user_.id, Secret::from_text("another horse"), dek_));
  EXPECT_EQ(refused(post({{"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
                          {"device_code", text(*begun, "device_code")},
                          {"client_id", "app"}})),
            "invalid_grant");
}

TEST_F(StandingTest, Bug32AGroupThatAClientIsForIsAskedForByEveryGrant) {
  // Only the sign-in asked: who left the group went on refreshing for ever.
  const auto answer = tokens();
  const auto pending = authorize(request("app"), browser(cookie_));
  change("app", [](Client& c) { c.groups = {"admins"}; });
  EXPECT_FALSE(is_active(text(answer, "access_token")));
  EXPECT_FALSE(is_active(text(answer, "refresh_token")));
  EXPECT_FALSE(run(provider_->token_info(text(answer, "access_token"))));
  EXPECT_EQ(refused(post(refreshing(text(answer, "refresh_token")))), "invalid_grant");
  EXPECT_EQ(refused(post(redeeming(std::string(pending.parameters.value("code"))))), "invalid_grant");
}

TEST_F(StandingTest, ARemovedClientsTokensOpenNothing) {
  // They introspected active, and opened the mailbox, until their time was over.
  const auto answer = tokens({{"scope", "openid mail"}});
  ASSERT_TRUE(run(provider_->token_info(text(answer, "access_token"))));
  ASSERT_TRUE(provider_->clients().remove("app"));
  EXPECT_FALSE(is_active(text(answer, "access_token")));
  EXPECT_FALSE(is_active(text(answer, "refresh_token")));
  EXPECT_FALSE(run(provider_->token_info(text(answer, "access_token"))));
  EXPECT_FALSE(userinfo(text(answer, "access_token")));
}

TEST_F(StandingTest, AnotherClientOfTheSameNameInheritsNothing) {
  const auto answer = tokens();
  const auto pending = authorize(request("app"), browser(cookie_));
  replace("app");
  EXPECT_FALSE(is_active(text(answer, "access_token")));
  EXPECT_FALSE(is_active(text(answer, "refresh_token")));
  EXPECT_EQ(refused(post(refreshing(text(answer, "refresh_token")))), "invalid_grant");
  EXPECT_EQ(refused(post(redeeming(std::string(pending.parameters.value("code"))))), "invalid_grant");
  EXPECT_EQ(revoke(text(answer, "access_token")), "unauthorized_client");
  // A changed one is the same.
  const auto fresh = tokens();
  change("app", [](Client& c) { c.name = "Another"; });
  EXPECT_TRUE(is_active(text(fresh, "access_token")));
}

TEST_F(StandingTest, ConsentWasGivenToOneClientAndNotToItsName) {
  ASSERT_EQ(sign_in(request("server")).kind, Outcome::Kind::respond);
  ASSERT_EQ(authorize(request("server"), browser(cookie_)).kind, Outcome::Kind::respond);
  replace("server");
  EXPECT_EQ(authorize(request("server"), browser(cookie_)).kind, Outcome::Kind::consent);
}

TEST_F(StandingTest, Bug50WhatIsHandedOutWhileItsSessionEndsIsWorthNothing) {
  // The session was read, then ended with its grants, and then a new grant was made upon it.
  for (int round = 0; round < 40; ++round) {
    (void)sign_in(request());
    const Browser here = browser(cookie_);
    const auto sessions = run(provider_->sessions(user_.id, here));
    ASSERT_TRUE(sessions && !sessions->empty());
    Outcome given;
    std::thread asking([&] { given = authorize(request(), here); });
    std::thread ending([&] {
      for (const auto& one : *sessions)
        if (one.current) EXPECT_TRUE(run(provider_->end_session(user_.id, one.sid)));
    });
    asking.join();
    ending.join();
    EXPECT_FALSE(session_lives());
    if (const auto code = given.parameters.value("code"); !code.empty())
      EXPECT_EQ(refused(post(redeeming(std::string(code)))), "invalid_grant");
    else
      EXPECT_EQ(given.kind, Outcome::Kind::sign_in);
  }
}

TEST_F(StandingTest, ATokenForAnotherResourceOpensNothingHere) {
  // RFC 8707: whoever runs that API could have read the user's mail with it.
  const auto elsewhere = tokens({{"scope", "openid mail"}, {"resource", "https://api.example"}});
  EXPECT_TRUE(is_active(text(elsewhere, "access_token")));
  EXPECT_FALSE(userinfo(text(elsewhere, "access_token")));
  EXPECT_FALSE(run(provider_->token_info(text(elsewhere, "access_token"))));
  // A client that may name the issuer as a resource gets one that is for here, too.
  change("app", [](Client& c) { c.resources.emplace_back(kIssuer); });
  const auto here = tokens({{"scope", "openid mail"}, {"resource", std::string(kIssuer)}});
  EXPECT_TRUE(userinfo(text(here, "access_token")));
  EXPECT_TRUE(run(provider_->token_info(text(here, "access_token"))));
}

}  // namespace
}  // namespace muhur::oidc

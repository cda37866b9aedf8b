// Sessions: their list, their end, and who is told.
#include "oidc/provider_fixture.hpp"

namespace muhur::oidc {
namespace {

class LogoutTest : public WithProvider {
 protected:
  void SetUp() override {
    WithProvider::SetUp();
    provider_->on_backchannel_logout(
        [this](std::string url, std::string token) { told_.emplace_back(std::move(url), std::move(token)); });
    auto fields = redeeming(code({}, "server"), "server");
    fields.emplace_back("client_secret", server_secret_);
    auto got = post(fields);
    ASSERT_TRUE(got) << got.error().description;
    answer_ = *got;
  }
  auto logout(const Fields& fields, bool confirmed = false) {
    return run(provider_->logout(form_of(fields), browser(cookie_), confirmed));
  }
  Fields good() const {
    return {{"id_token_hint", text(answer_, "id_token")},
            {"post_logout_redirect_uri", "https://app.example/bye"},
            {"state", "s t"}};
  }
  bool session_lives() { return run(provider_->session_user(browser(cookie_))).has_value(); }
  std::vector<std::pair<std::string, std::string>> told_;
  boost::json::object answer_;
};

TEST_F(LogoutTest, AGoodHintEndsTheSessionAndGoesBack) {
  const auto sid = text(id_token_claims(answer_), "sid");
  const auto done = logout(good());
  EXPECT_TRUE(done.ended);
  EXPECT_FALSE(done.confirm);
  EXPECT_EQ(done.redirect, "https://app.example/bye?state=s%20t");
  EXPECT_FALSE(session_lives());
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].first, "https://app.example/backchannel");
  const auto jws = parse_jws(told_[0].second);
  ASSERT_TRUE(jws);
  EXPECT_EQ(text(jws->header, "typ"), "logout+jwt");
  EXPECT_EQ(text(jws->payload, "aud"), "server");
  EXPECT_EQ(text(jws->payload, "sid"), sid);
  EXPECT_EQ(text(jws->payload, "sub"), text(id_token_claims(answer_), "sub"));
  EXPECT_FALSE(jws->payload.contains("nonce"));
  EXPECT_TRUE(
      jws->payload.at("events").as_object().contains("http://schemas.openid.net/event/backchannel-logout"));
}

TEST_F(LogoutTest, ASessionsTokensGoWithItAndOfflineOnesStay) {
  const auto shown = authorize(request("app", {{"scope", "openid offline_access"}}), browser(cookie_));
  const auto offline = post(redeeming(std::string(shown.parameters.value("code"))));
  ASSERT_TRUE(offline);
  EXPECT_TRUE(logout(good()).ended);
  EXPECT_FALSE(is_active(text(answer_, "access_token")));
  EXPECT_FALSE(is_active(text(answer_, "refresh_token")));
  EXPECT_TRUE(post(refreshing(text(*offline, "refresh_token"))));
}

TEST_F(LogoutTest, Bug15NoRedirectLeavesTheRegisteredOnes) {
  for (const auto* uri :
       {"https://evil.example/", "//evil.example", "/\\evil.example", "%2f%5cevil.example",
        "https://app.example/bye\r\nX: y", "https://app.example/bye?x=1", "https://app.example/BYE"}) {
    auto fields = good();
    fields[1].second = uri;
    EXPECT_EQ(logout(fields).redirect, "") << uri;
  }
}

TEST_F(LogoutTest, Bug15ABadOrMissingHintIsAskedAboutFirst) {
  auto modified = good();
  modified[0].second[modified[0].second.size() / 2] ^= 1;
  const Fields none{{"client_id", "server"}, {"post_logout_redirect_uri", "https://app.example/bye"}};
  for (const auto& fields : {modified, none, Fields{}, Fields{{"state", "x"}}}) {
    const auto asked = logout(fields);
    EXPECT_TRUE(asked.confirm);
    EXPECT_FALSE(asked.ended);
    // What its form may lead to: nothing that came with a hint which proves nothing.
    EXPECT_EQ(asked.redirect, fields == none ? "https://app.example/bye" : "");
    EXPECT_TRUE(session_lives());
  }
  auto elsewhere = none;
  elsewhere[1].second = "https://evil.example/";
  EXPECT_EQ(logout(elsewhere).redirect, "");
  const auto asked = logout(none);
  const auto done = logout({{"pending", asked.pending}}, true);
  EXPECT_TRUE(done.ended);
  EXPECT_EQ(done.redirect, "https://app.example/bye");
}

TEST_F(LogoutTest, AModifiedHintNeverLeadsBack) {
  auto fields = good();
  fields[0].second.back() = fields[0].second.back() == 'A' ? 'B' : 'A';
  fields[0].second[fields[0].second.size() - 5] ^= 1;
  fields.emplace_back("client_id", "server");
  const auto done = logout(fields, true);
  EXPECT_TRUE(done.ended);
  EXPECT_EQ(done.redirect, "");
}

TEST_F(LogoutTest, Bug15AnotherUsersHintIsAskedAboutFirst) {
  const auto other = add_user("mehmet", "other horse", dek_).user;
  const auto cookie =
      run(provider_->start_session(browser(), {other, dek_.copy(), accounts::CredentialKind::password}));
  ASSERT_TRUE(cookie);
  cookie_ = *cookie;
  EXPECT_TRUE(logout(good()).confirm);
  EXPECT_TRUE(session_lives());
}

TEST_F(LogoutTest, WithoutASessionThereIsNothingToEnd) {
  cookie_.clear();
  const auto done = logout(good());
  EXPECT_FALSE(done.confirm);
  EXPECT_FALSE(done.ended);
  EXPECT_EQ(done.redirect, "https://app.example/bye?state=s%20t");
  EXPECT_EQ(
      logout({{"client_id", "server"}, {"post_logout_redirect_uri", "https://app.example/bye"}}).redirect,
      "");
}

TEST_F(LogoutTest, SessionsAreListedAndEnded) {
  const auto second = run(provider_->start_session(browser("", "b"), proof()));
  ASSERT_TRUE(second);
  auto list = run(provider_->sessions(user_.id, browser(cookie_)));
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 2U);
  EXPECT_NE((*list)[0].current, (*list)[1].current);
  EXPECT_EQ((*list)[0].user_agent, "Test");
  const auto own = (*list)[0].current ? (*list)[0] : (*list)[1];
  // Not another user's.
  ASSERT_TRUE(run(provider_->end_session(user_.id + 1, own.sid)));
  EXPECT_TRUE(session_lives());
  ASSERT_TRUE(run(provider_->end_session(user_.id, own.sid)));
  EXPECT_FALSE(session_lives());
  EXPECT_EQ(told_.size(), 1U);
  EXPECT_TRUE(run(provider_->session_user(browser(*second))));
}

TEST_F(LogoutTest, TheSidStaysOverARenewedSignInOfTheSameUser) {
  const auto shown = authorize(request("app", {{"prompt", "login"}}), browser(cookie_));
  const auto done = run(provider_->signed_in(shown.pending, browser(cookie_), proof()));
  const auto answer = post(redeeming(std::string(done.parameters.value("code"))));
  ASSERT_TRUE(answer);
  EXPECT_EQ(text(id_token_claims(*answer), "sid"), text(id_token_claims(answer_), "sid"));
  EXPECT_TRUE(told_.empty());
}

TEST_F(LogoutTest, AnotherUserInTheSameBrowserEndsTheFirstSession) {
  const auto other = add_user("mehmet", "other horse", dek_).user;
  ASSERT_TRUE(run(
      provider_->start_session(browser(cookie_), {other, dek_.copy(), accounts::CredentialKind::password})));
  EXPECT_FALSE(session_lives());
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(LogoutTest, Bug50AChangedUserLosesSessionsAndGrants) {
  const auto shown = authorize(request("app", {{"scope", "openid offline_access"}}), browser(cookie_));
  const auto offline = post(redeeming(std::string(shown.parameters.value("code"))));
  ASSERT_TRUE(offline);
  provider_->user_changed(user_.id);
  EXPECT_FALSE(session_lives());
  EXPECT_EQ(refused(post(refreshing(text(*offline, "refresh_token")))), "invalid_grant");
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(LogoutTest, Bug54ADeletedUserLeavesNothingThatWorks) {
  ASSERT_TRUE(accounts::Users(*directory_).remove(user_.id));
  EXPECT_FALSE(session_lives());
  EXPECT_FALSE(is_active(text(answer_, "access_token")));
  provider_->user_changed(user_.id);
  EXPECT_EQ(told_.size(), 1U);
}

}  // namespace
}  // namespace muhur::oidc

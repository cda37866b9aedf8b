#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "web/routes_fixture.hpp"

namespace muhur::web {
namespace {

class AccountRoutes : public WithRoutes {
 protected:
  oidc::Fields me() const { return {{"login", user_.address}, {"password", "right"}}; }
  Answer sessions() { return get("/account/sessions"); }
};

TEST_F(AccountRoutes, ASignInOnTheAccountPageLeadsBackToIt) {
  const auto page = sessions();
  ASSERT_EQ(page.status, 200);
  const auto done = submit("/oauth2/login", page, me());
  EXPECT_EQ(done.status, 303);
  EXPECT_EQ(done.header("location"), "/account/sessions");
  EXPECT_NE(sessions().body.find(user_.address), std::string::npos);
}

TEST_F(AccountRoutes, EndingOnesOwnSessionTakesTheCookieAway) {
  submit("/oauth2/login", sessions(), me());
  const auto list = run(provider_->sessions(user_.id, browser()));
  ASSERT_TRUE(list && list->size() == 1);
  const auto page = sessions();
  EXPECT_EQ(post("/account/sessions", {{"sid", list->front().sid}}).status, 403);  // no token
  std::string csrf;
  for (const auto& [name, value] : hidden(page))
    if (name == "csrf") csrf = value;
  const auto done = post("/account/sessions",
                         {{"sid", list->front().sid},
                          {"csrf", services_->csrf.token(cookies_["__Host-muhur-browser"], "sessions")}});
  EXPECT_EQ(done.status, 303);
  EXPECT_FALSE(cookies_.contains("__Host-muhur-session"));
  EXPECT_TRUE(run(provider_->sessions(user_.id, browser()))->empty());
}

TEST_F(AccountRoutes, ADeviceIsApprovedOnlyByItsButton) {
  const auto asked = post("/oauth2/device_authorization", {{"client_id", "app"}, {"scope", "openid"}});
  ASSERT_EQ(asked.status, 200) << asked.body;
  const std::string code = oidc::text(object(asked), "user_code");
  const std::string device = oidc::text(object(asked), "device_code");
  const oidc::Fields poll{{"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
                          {"device_code", device},
                          {"client_id", "app"}};
  const auto page = get("/device?user_code=" + code);
  const auto back = submit("/oauth2/login?to=device&user_code=" + code, page, me());
  ASSERT_EQ(back.header("location"), "/device?user_code=" + code);
  const auto form = get(back.header("location"));
  EXPECT_EQ(oidc::text(object(post("/oauth2/token", poll)), "error"), "authorization_pending");
  const auto confirm = submit("/device", form, {{"user_code", code}});
  ASSERT_EQ(confirm.status, 200);
  EXPECT_NE(confirm.body.find("App"), std::string::npos);
  pass(10);
  EXPECT_EQ(oidc::text(object(post("/oauth2/token", poll)), "error"), "authorization_pending");
  EXPECT_EQ(submit("/device", confirm, {{"decision", "approve"}}).status, 200);
  pass(10);
  EXPECT_EQ(post("/oauth2/token", poll).status, 200);
}

// Bug: the page repeated what was typed, where it says to compare it with what the device shows.
TEST_F(AccountRoutes, AUserCodeIsShownAsTheDeviceShowsIt) {
  const auto asked = post("/oauth2/device_authorization", {{"client_id", "app"}, {"scope", "openid"}});
  const std::string code = oidc::text(object(asked), "user_code");
  std::string typed;
  for (const char letter : code)
    if (letter != '-') typed += static_cast<char>(letter - 'A' + 'a');
  submit("/oauth2/login", sessions(), me());
  const auto confirm = submit("/device", get("/device"), {{"user_code", typed}});
  EXPECT_NE(confirm.body.find("<p class=\"code\"><bdi>" + code + "</bdi></p>"), std::string::npos);
}

TEST_F(AccountRoutes, TheBareNameOfTheServerLeadsToThem) {
  EXPECT_EQ(get("/").header("location"), "/account/sessions");
}

TEST_F(AccountRoutes, AWrongUserCodeIsToldAndADifferentPlaceToReturnToIsNotTaken) {
  submit("/oauth2/login?to=https://evil.example", sessions(), me());
  const auto page = submit("/device", get("/device"), {{"user_code", "XXXX-XXXX"}});
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("role=\"alert\""), std::string::npos);
}

TEST_F(AccountRoutes, LogoutAsksUnlessAnIdTokenOrAFormOfOursProvesIt) {
  submit("/oauth2/login", sessions(), me());
  const auto asks = get("/oauth2/logout");
  EXPECT_EQ(asks.status, 200);
  EXPECT_TRUE(cookies_.contains("__Host-muhur-session"));
  const auto stayed = submit("/oauth2/logout", asks, {{"decision", "deny"}});
  EXPECT_EQ(stayed.status, 200);
  EXPECT_TRUE(cookies_.contains("__Host-muhur-session"));
  EXPECT_EQ(
      submit("/oauth2/logout", asks, {{"decision", "approve"}}, "Origin: https://evil.example\r\n").status,
      403);
  submit("/oauth2/logout", asks, {{"decision", "approve"}});
  EXPECT_FALSE(cookies_.contains("__Host-muhur-session"));
  EXPECT_TRUE(run(provider_->sessions(user_.id, browser()))->empty());
}

TEST_F(AccountRoutes, LogoutWithAHintLeadsToARegisteredAddressOnly) {
  const auto tokens = [&] {
    const auto asked = sign_in(get(authorize_url("server")));
    const auto done =
        asked.status == 200 ? submit("/oauth2/consent", asked, {{"decision", "approve"}}) : asked;
    auto fields = redeeming(parameter(done.header("location"), "code"), "server");
    fields.emplace_back("client_secret", server_secret_);
    return object(post("/oauth2/token", fields));
  };
  auto target = [](const std::string& hint, const std::string& uri) {
    return "/oauth2/logout?" +
           encoded({{"id_token_hint", hint}, {"post_logout_redirect_uri", uri}, {"state", "s&1"}});
  };
  auto out = get(target(oidc::text(tokens(), "id_token"), "https://app.example/bye"));
  EXPECT_EQ(out.status, 303) << out.body;
  EXPECT_EQ(out.header("location"), "https://app.example/bye?state=s%261");
  EXPECT_FALSE(cookies_.contains("__Host-muhur-session"));
  for (const char* evil : {"https://evil.example/", "//evil", "/\\evil", "https://app.example/bye\r\nX: y"}) {
    out = get(target(oidc::text(tokens(), "id_token"), evil));
    EXPECT_EQ(out.status, 200) << evil;
    EXPECT_TRUE(out.header("location").empty());
  }
}

}  // namespace
}  // namespace muhur::web

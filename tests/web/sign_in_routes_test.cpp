#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "web/routes_fixture.hpp"

namespace muhur::web {
namespace {

class SignInRoutes : public WithRoutes {};

TEST_F(SignInRoutes, FromTheRequestThroughThePagesToTokens) {
  const auto page = get(authorize_url());
  ASSERT_EQ(page.status, 200);
  EXPECT_NE(page.header("content-security-policy").find("form-action 'self' https://app.example"),
            std::string::npos);
  const auto done = sign_in(page);
  ASSERT_EQ(done.status, 303) << done.body;
  const std::string location = done.header("location");
  ASSERT_TRUE(location.starts_with("https://app.example/callback?")) << location;
  EXPECT_EQ(parameter(location, "state"), "a&b=c");
  EXPECT_EQ(parameter(location, "iss"), oidc::kIssuer);

  const auto tokens = post("/oauth2/token", redeeming(parameter(location, "code")));
  ASSERT_EQ(tokens.status, 200) << tokens.body;
  EXPECT_EQ(tokens.header("cache-control"), "no-store");
  EXPECT_EQ(tokens.header("access-control-allow-origin"), "*");
  const std::string access = oidc::text(object(tokens), "access_token");
  const auto info = send("GET", "/oauth2/userinfo", "Authorization: Bearer " + access + "\r\n");
  ASSERT_EQ(info.status, 200) << info.body;
  EXPECT_EQ(oidc::text(object(info), "email"), user_.address);
}

TEST_F(SignInRoutes, SessionCookiesAreBoundToTheHostAndSecure) {
  const auto done = sign_in(get(authorize_url()));
  ASSERT_TRUE(cookies_.contains("__Host-muhur-session")) << done.head;
  ASSERT_TRUE(cookies_.contains("__Host-muhur-browser"));
  const std::string cookie = done.header("set-cookie");
  for (const char* part : {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"})
    EXPECT_NE(cookie.find(part), std::string::npos) << cookie;
  EXPECT_EQ(cookie.find("Domain"), std::string::npos);
}

TEST_F(SignInRoutes, BrowsersAreToldToComeByHttpsOnly) {
  for (const auto* path : {"/healthz", "/nowhere", "/oauth2/jwks"})
    EXPECT_EQ(get(path).header("strict-transport-security"), "max-age=31536000") << path;
}

TEST_F(SignInRoutes, ASecondClientNeedsNoSecondPassword) {
  sign_in(get(authorize_url()));
  const auto second = get(authorize_url("other"));
  EXPECT_EQ(second.status, 303);
  EXPECT_FALSE(parameter(second.header("location"), "code").empty());
  EXPECT_EQ(proofs_, 1);
}

TEST_F(SignInRoutes, AWrongPasswordShowsTheFormAgainAndTheRequestLivesOn) {
  const auto again = sign_in(get(authorize_url()), "wrong");
  EXPECT_EQ(again.status, 200);
  EXPECT_FALSE(cookies_.contains("__Host-muhur-session"));
  EXPECT_NE(again.body.find(user_.address), std::string::npos);
  EXPECT_EQ(again.body.find("wrong\""), std::string::npos);  // the password is not in the page
  EXPECT_EQ(sign_in(again).status, 303);
}

TEST_F(SignInRoutes, TooManyGuessesAnd503SayHowLongToWait) {
  const auto page = get(authorize_url());
  proof_error_ = Error{Code::busy, "too many wrong guesses came lately", "Wait 17 s and try again"};
  const auto wait = sign_in(page);
  EXPECT_EQ(wait.status, 429);
  EXPECT_EQ(wait.header("retry-after"), "17");
  proof_error_ = Error{Code::busy, "too many sign-ins at once", ""};
  const auto busy = sign_in(wait);
  EXPECT_EQ(busy.status, 503);
  EXPECT_FALSE(busy.header("retry-after").empty());
  proof_error_.reset();
  EXPECT_EQ(sign_in(busy).status, 303);
}

TEST_F(SignInRoutes, AnAppPasswordIsRefusedLikeAWrongOne) {
  proof_kind_ = accounts::CredentialKind::app_password;
  const auto again = sign_in(get(authorize_url()));
  EXPECT_EQ(again.status, 200);
  EXPECT_FALSE(cookies_.contains("__Host-muhur-session"));
}

// Bug class: login CSRF.
TEST_F(SignInRoutes, AFormFromAnotherSiteOrBrowserHashesNothing) {
  const auto page = get(authorize_url());
  const oidc::Fields fields{{"login", user_.address}, {"password", "right"}};
  EXPECT_EQ(submit("/oauth2/login", page, fields, "Origin: https://evil.example\r\n").status, 403);
  EXPECT_EQ(submit("/oauth2/login", page, fields, "Sec-Fetch-Site: cross-site\r\n").status, 403);
  cookies_.clear();
  EXPECT_EQ(submit("/oauth2/login", page, fields).status, 403);
  EXPECT_EQ(proofs_, 0);
}

TEST_F(SignInRoutes, APageAnsweredTwiceGivesOneCode) {
  const auto page = get(authorize_url());
  EXPECT_EQ(sign_in(page).status, 303);
  const auto second = sign_in(page);
  EXPECT_EQ(second.status, 400);
  EXPECT_TRUE(second.header("location").empty());
}

// Bug: who went back to a page that had been answered, or was open for too long, read that the application's
// request was wrong.
TEST_F(SignInRoutes, APageThatIsOverSaysToBeginAgain) {
  const auto page = get(authorize_url());
  sign_in(page);
  EXPECT_NE(sign_in(page).body.find("Please begin again"), std::string::npos);
  const auto late = get(authorize_url("other", {{"prompt", "login"}}));
  pass(provider_->options().lifetimes.pending + 1);
  const auto over = sign_in(late);
  EXPECT_EQ(over.status, 400);
  EXPECT_NE(over.body.find("Please begin again"), std::string::npos);
  EXPECT_EQ(over.body.find("invalid_request"), std::string::npos);
  EXPECT_EQ(get(authorize_url("nobody")).body.find("Please begin again"), std::string::npos);
}

TEST_F(SignInRoutes, AnUnknownClientOrUriNeverLeadsAway) {
  for (const auto& url :
       {authorize_url("nobody"), authorize_url("app", {{"redirect_uri", "https://app.example@evil/"}})}) {
    const auto answer = get(url);
    EXPECT_EQ(answer.status, 400);
    EXPECT_TRUE(answer.header("location").empty());
    EXPECT_NE(answer.body.find("invalid_request"), std::string::npos);
  }
}

TEST_F(SignInRoutes, ConsentIsAskedOnceAndDenialIsToldToTheClient) {
  const auto asked = sign_in(get(authorize_url("server")));
  ASSERT_EQ(asked.status, 200) << asked.head;
  const auto denied = submit("/oauth2/consent", asked, {{"decision", "deny"}});
  ASSERT_EQ(denied.status, 303) << denied.body;
  EXPECT_EQ(parameter(denied.header("location"), "error"), "access_denied");
  const auto again = get(authorize_url("server"));
  ASSERT_EQ(again.status, 200);
  const auto approved = submit("/oauth2/consent", again, {{"decision", "approve"}});
  EXPECT_FALSE(parameter(approved.header("location"), "code").empty());
  EXPECT_EQ(get(authorize_url("server")).status, 303);
}

TEST_F(SignInRoutes, AFormPostAnswerIsAPageThatPostsItself) {
  const auto done = sign_in(get(authorize_url("app", {{"response_mode", "form_post"}})));
  ASSERT_EQ(done.status, 200);
  EXPECT_NE(done.body.find("action=\"https://app.example/callback\""), std::string::npos);
  EXPECT_NE(done.body.find("name=\"code\""), std::string::npos);
}

TEST_F(SignInRoutes, ARequestPostedFromAnotherSiteIsAskedForAgainByGet) {
  const auto form = request();
  const auto answer = send(
      "POST", "/oauth2/authorize",
      "Content-Type: application/x-www-form-urlencoded\r\nOrigin: https://app.example\r\n", form.encoded());
  ASSERT_EQ(answer.status, 303);
  EXPECT_EQ(answer.header("location"), "/oauth2/authorize?" + form.encoded());
  const auto own = send("POST", "/oauth2/authorize", "Content-Type: application/x-www-form-urlencoded\r\n",
                        form.encoded());
  EXPECT_EQ(own.status, 200);
}

}  // namespace
}  // namespace muhur::web

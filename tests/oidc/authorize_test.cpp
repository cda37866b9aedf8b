// The front channel: what is shown, what is answered, and to whom.
#include "oidc/provider_fixture.hpp"

namespace muhur::oidc {
namespace {

using Kind = Outcome::Kind;

class AuthorizeTest : public WithProvider {
 protected:
  std::string error_to_client(const Fields& changed, const std::string& client = "app") {
    const auto outcome = authorize(request(client, changed));
    EXPECT_EQ(outcome.kind, Kind::respond) << outcome.error.description;
    EXPECT_EQ(outcome.redirect_uri, kCallback);
    EXPECT_EQ(outcome.parameters.value("iss"), kIssuer);
    EXPECT_EQ(outcome.parameters.value("state"), "a&b=c");
    EXPECT_FALSE(outcome.parameters.has("code"));
    return std::string(outcome.parameters.value("error"));
  }
};

TEST_F(AuthorizeTest, AStrangerIsAskedToSignInAndThenAnsweredWithACode) {
  const auto done = sign_in(request());
  EXPECT_EQ(done.kind, Kind::respond);
  EXPECT_EQ(done.redirect_uri, kCallback);
  EXPECT_FALSE(done.parameters.value("code").empty());
  EXPECT_EQ(done.parameters.value("state"), "a&b=c");
  EXPECT_EQ(done.parameters.value("iss"), kIssuer);
  EXPECT_FALSE(cookie_.empty());
}

TEST_F(AuthorizeTest, ASessionAnswersTheNextRequestWithoutAPage) {
  (void)sign_in(request());
  const auto done = authorize(request(), browser(cookie_));
  EXPECT_EQ(done.kind, Kind::respond);
  EXPECT_FALSE(done.parameters.value("code").empty());
}

TEST_F(AuthorizeTest, Bug01And02And04UnknownClientsAndUrisGetAPageAndNoRedirect) {
  // Bug classes 1, 2, 3, 4 and 43.
  for (const Fields& changed :
       {Fields{{"client_id", "nobody"}}, Fields{{"redirect_uri", "https://app.example/CALLBACK"}},
        Fields{{"redirect_uri", "https://app.example@evil.example/callback"}},
        Fields{{"redirect_uri", "https://app.example/callback?x=1"}},
        Fields{{"redirect_uri", "https://app.example/callback/../x"}}, Fields{{"redirect_uri", ""}},
        Fields{{"redirect_uri", "https://evil.example/"}, {"prompt", "none"}}}) {  // and 5
    const auto outcome = authorize(request("app", changed));
    EXPECT_EQ(outcome.kind, Kind::error_page);
    EXPECT_EQ(outcome.redirect_uri, "");
    EXPECT_EQ(outcome.error.code, "invalid_request");
  }
  auto twice = request();
  twice.add("redirect_uri", std::string(kCallback));
  EXPECT_EQ(authorize(twice).kind, Kind::error_page);
}

TEST_F(AuthorizeTest, Bug36WhatIsWrongWithTheRestIsToldToTheClientWithIssAndState) {
  EXPECT_EQ(error_to_client({{"response_type", ""}}), "invalid_request");
  for (const auto* type : {"token", "id_token", "code id_token", "none"})
    EXPECT_EQ(error_to_client({{"response_type", type}}), "unsupported_response_type") << type;
  EXPECT_EQ(error_to_client({{"response_mode", "fragment"}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"request", "x.y.z"}}), "request_not_supported");
  EXPECT_EQ(error_to_client({{"request_uri", "https://app.example/r"}}), "request_uri_not_supported");
  EXPECT_EQ(error_to_client({{"registration", "{}"}}), "registration_not_supported");
  EXPECT_EQ(error_to_client({{"code_challenge", ""}, {"code_challenge_method", ""}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"code_challenge_method", "plain"}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"prompt", "none login"}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"prompt", "create"}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"max_age", "-1"}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"max_age", "1x"}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"claims", "[]"}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"resource", "https://unknown.example"}}), "invalid_target");
  EXPECT_EQ(error_to_client({{"dpop_jkt", "short"}}), "invalid_request");
  EXPECT_EQ(error_to_client({{"id_token_hint", "e30.e30.AA"}}), "invalid_request");
  change("app", [](Client& c) { std::erase(c.scopes, "mail"); });
  EXPECT_EQ(error_to_client({{"scope", "openid mail"}}), "invalid_scope");
  change("app", [](Client& c) { c.require_par = true; });
  EXPECT_EQ(error_to_client({}), "invalid_request");
}

TEST_F(AuthorizeTest, AParameterThatIsThereTwiceIsRefused) {
  auto form = request();
  form.add("scope", "openid");
  EXPECT_EQ(authorize(form).parameters.value("error"), "invalid_request");
}

TEST_F(AuthorizeTest, UnknownParametersAndScopesArePassedOver) {
  const auto outcome = authorize(request("app", {{"extra", "1"}, {"scope", "openid phone"}}));
  EXPECT_EQ(outcome.kind, Kind::sign_in);
  EXPECT_EQ(outcome.scopes, std::vector<std::string>{"openid"});
}

TEST_F(AuthorizeTest, PromptNoneNeverShowsAPage) {
  EXPECT_EQ(error_to_client({{"prompt", "none"}}), "login_required");
  (void)sign_in(request());
  EXPECT_FALSE(
      authorize(request("app", {{"prompt", "none"}}), browser(cookie_)).parameters.value("code").empty());
  const auto consent = authorize(request("server", {{"prompt", "none"}}), browser(cookie_));
  EXPECT_EQ(consent.parameters.value("error"), "consent_required");
}

TEST_F(AuthorizeTest, Bug21PromptLoginAndMaxAgeAskAgain) {
  (void)sign_in(request());
  EXPECT_EQ(authorize(request("app", {{"prompt", "login"}}), browser(cookie_)).kind, Kind::sign_in);
  EXPECT_EQ(authorize(request("app", {{"prompt", "select_account"}}), browser(cookie_)).kind, Kind::sign_in);
  EXPECT_EQ(authorize(request("app", {{"max_age", "0"}}), browser(cookie_)).kind, Kind::sign_in);
  pass(1);  // whole seconds: nearly two may have passed
  EXPECT_EQ(authorize(request("app", {{"max_age", "1"}}), browser(cookie_)).kind, Kind::sign_in);
  EXPECT_EQ(authorize(request("app", {{"max_age", "10000"}}), browser(cookie_)).kind, Kind::respond);
}

TEST_F(AuthorizeTest, ASignInThatWasAskedForCountsAsFresh) {
  const auto done = sign_in(request("app", {{"prompt", "login"}, {"max_age", "0"}}));
  EXPECT_FALSE(done.parameters.value("code").empty());
}

TEST_F(AuthorizeTest, AnEssentialAcrThatThereIsNotIsToldSo) {
  const auto asked = [&](std::string_view acr) {
    return authorize(request("app", {{"claims", R"({"id_token":{"acr":)" + std::string(acr) + "}}"}}));
  };
  EXPECT_EQ(asked(R"({"essential":true,"values":["9"]})").parameters.value("error"),
            "unmet_authentication_requirements");
  EXPECT_EQ(asked(R"({"essential":true,"values":["9","1"]})").kind, Kind::sign_in);
  EXPECT_EQ(asked(R"({"values":["9"]})").kind, Kind::sign_in);
}

TEST_F(AuthorizeTest, FormPostAndHintsComeThrough) {
  const auto shown = authorize(request(
      "app", {{"response_mode", "form_post"}, {"login_hint", "ayse@example.org"}, {"ui_locales", "tr en"}}));
  EXPECT_EQ(shown.login_hint, "ayse@example.org");
  EXPECT_EQ(shown.ui_locales, "tr en");
  EXPECT_TRUE(run(provider_->signed_in(shown.pending, browser(), proof())).form_post);
}

TEST_F(AuthorizeTest, Bug57AFailedSignInLosesNothingOfTheRequest) {
  const auto shown = authorize(request("app", {{"prompt", "login"}, {"max_age", "5"}, {"login_hint", "a"}}));
  auto again = provider_->again(shown.pending, browser());
  EXPECT_EQ(again.kind, Kind::sign_in);
  EXPECT_EQ(again.login_hint, "a");
  const auto done = run(provider_->signed_in(again.pending, browser(), proof()));
  EXPECT_EQ(done.parameters.value("state"), "a&b=c");
  EXPECT_FALSE(done.parameters.value("code").empty());
}

TEST_F(AuthorizeTest, Bug11And12APageOfOneBrowserIsNotAnsweredFromAnother) {
  const auto shown = authorize(request());
  const auto done = run(provider_->signed_in(shown.pending, browser("", "another browser"), proof()));
  EXPECT_EQ(done.kind, Kind::error_page);
  EXPECT_FALSE(done.set_session);
}

TEST_F(AuthorizeTest, Bug11APageIsAnsweredOnce) {
  const auto shown = authorize(request());
  EXPECT_EQ(run(provider_->signed_in(shown.pending, browser(), proof())).kind, Kind::respond);
  const auto second = run(provider_->signed_in(shown.pending, browser(), proof()));
  EXPECT_EQ(second.kind, Kind::error_page);
  EXPECT_FALSE(second.set_session);
}

TEST_F(AuthorizeTest, APageRunsOutAndAForgedOneIsNone) {
  auto shown = authorize(request());
  pass(1'801);
  EXPECT_EQ(run(provider_->signed_in(shown.pending, browser(), proof())).kind, Kind::error_page);
  shown = authorize(request());
  shown.pending[shown.pending.size() / 2] ^= 1;
  EXPECT_EQ(run(provider_->signed_in(shown.pending, browser(), proof())).kind, Kind::error_page);
}

TEST_F(AuthorizeTest, Bug11TheSessionIdChangesAtSignIn) {
  (void)sign_in(request());
  const std::string before = cookie_;
  const auto shown = authorize(request("app", {{"prompt", "login"}}), browser(before));
  const auto done = run(provider_->signed_in(shown.pending, browser(before), proof()));
  ASSERT_TRUE(done.set_session);
  EXPECT_NE(*done.set_session, before);
  EXPECT_EQ(authorize(request(), browser(before)).kind, Kind::sign_in);
}

TEST_F(AuthorizeTest, ConsentIsAskedOnceForWhatItWasGivenFor) {
  EXPECT_FALSE(code({}, "server").empty());
  EXPECT_EQ(authorize(request("server"), browser(cookie_)).kind, Kind::respond);
  EXPECT_EQ(authorize(request("server", {{"scope", "openid mail"}}), browser(cookie_)).kind, Kind::consent);
  EXPECT_EQ(authorize(request("server", {{"prompt", "consent"}}), browser(cookie_)).kind, Kind::consent);
  open_provider();  // it survives
  EXPECT_EQ(authorize(request("server"), browser(cookie_)).kind, Kind::respond);
}

TEST_F(AuthorizeTest, ARefusedConsentIsTold) {
  const auto shown = authorize(request("server"));
  const auto consent = run(provider_->signed_in(shown.pending, browser(), proof()));
  ASSERT_EQ(consent.kind, Kind::consent);
  EXPECT_EQ(consent.user->id, user_.id);
  const auto answer = run(provider_->consented(consent.pending, browser(*consent.set_session), false));
  EXPECT_EQ(answer.parameters.value("error"), "access_denied");
  // Used up: a yes afterwards comes too late.
  EXPECT_EQ(run(provider_->consented(consent.pending, browser(*consent.set_session), true)).kind,
            Kind::error_page);
}

TEST_F(AuthorizeTest, Bug13OnlyTheSessionThatWasAskedConsents) {
  const auto shown = authorize(request("server"));
  const auto consent = run(provider_->signed_in(shown.pending, browser(), proof()));
  EXPECT_EQ(run(provider_->consented(consent.pending, browser(), true)).kind, Kind::error_page);
  EXPECT_EQ(run(provider_->consented(consent.pending, browser("wrong"), true)).kind, Kind::error_page);
  // The page before consent is no consent.
  EXPECT_EQ(run(provider_->consented(shown.pending, browser(*consent.set_session), true)).kind,
            Kind::error_page);
}

TEST_F(AuthorizeTest, Bug21AnAppPasswordDoesNotSignInABrowser) {
  const auto shown = authorize(request());
  const auto done =
      run(provider_->signed_in(shown.pending, browser(), proof(accounts::CredentialKind::app_password)));
  EXPECT_EQ(done.kind, Kind::sign_in);
  EXPECT_FALSE(done.set_session);
}

TEST_F(AuthorizeTest, AClientForSomeGroupsRefusesOthers) {
  change("app", [](Client& c) { c.groups = {"admins"}; });
  EXPECT_EQ(sign_in(request()).parameters.value("error"), "access_denied");
  user_.admin = true;
  EXPECT_FALSE(sign_in(request()).parameters.value("code").empty());
}

TEST_F(AuthorizeTest, ASubjectThatWasAskedForIsTheOneWhoSignsIn) {
  const std::string id_token = text(tokens(), "id_token");
  EXPECT_EQ(authorize(request("app", {{"id_token_hint", id_token}}), browser(cookie_)).kind, Kind::respond);
  const auto other = add_user("mehmet", "other horse", dek_).user;
  const auto shown = authorize(request("app", {{"id_token_hint", id_token}}));
  const auto done = run(provider_->signed_in(shown.pending, browser(),
                                             {other, dek_.copy(), accounts::CredentialKind::password}));
  EXPECT_EQ(done.parameters.value("error"), "login_required");
}

TEST_F(AuthorizeTest, ADisabledUsersSessionIsNone) {
  (void)sign_in(request());
  ASSERT_TRUE(accounts::Users(*directory_).set_disabled(user_.id, true));
  EXPECT_EQ(authorize(request(), browser(cookie_)).kind, Kind::sign_in);
}

TEST_F(AuthorizeTest, SessionsEndByIdlenessAndByAge) {
  (void)sign_in(request());
  pass(8 * 3'600 + 1);
  EXPECT_EQ(authorize(request(), browser(cookie_)).kind, Kind::sign_in);
  (void)sign_in(request());
  for (int i = 0; i < 30 * 4; ++i) {  // used every six hours
    pass(6 * 3'600 - 1);
    EXPECT_EQ(authorize(request(), browser(cookie_)).kind, Kind::respond) << i;
  }
  pass(120);
  EXPECT_EQ(authorize(request(), browser(cookie_)).kind, Kind::sign_in);
}

}  // namespace
}  // namespace muhur::oidc

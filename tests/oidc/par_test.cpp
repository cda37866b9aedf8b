// Pushed requests (RFC 9126) and DPoP (RFC 9449) through the provider.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "crypto/mac.hpp"
#include "oidc/provider_fixture.hpp"

namespace muhur::oidc {
namespace {

using Kind = Outcome::Kind;

class ParTest : public WithProvider {
 protected:
  JsonAnswer push(const http::Form& form) {
    TokenRequest request;
    request.presented.form = &form;
    return run(provider_->push(std::move(request)));
  }
  std::string pushed(const http::Form& form) {
    const auto answer = push(form);
    EXPECT_TRUE(answer) << answer.error().description;
    return answer ? text(*answer, "request_uri") : "";
  }
  Outcome use(const std::string& uri, const std::string& client = "app") {
    return authorize(form_of({{"client_id", client}, {"request_uri", uri}}), browser(cookie_));
  }

  // A DPoP proof by `key`.
  std::string dpop(const crypto::SigningKey& key, std::string_view method, std::string_view url,
                   std::string_view access_token = {}) {
    boost::json::object claims{
        {"jti", random_hex(8)}, {"htm", method}, {"htu", url}, {"iat", clock_.now_s()}};
    if (!access_token.empty()) claims["ath"] = to_base64url(crypto::sha256(as_bytes(access_token)));
    const boost::json::object header{
        {"typ", "dpop+jwt"}, {"alg", "ES256"}, {"jwk", boost::json::parse(key.public_key().jwk())}};
    const std::string input = to_base64url(as_bytes(boost::json::serialize(header))) + "." +
                              to_base64url(as_bytes(boost::json::serialize(claims)));
    return input + "." + to_base64url(key.sign(as_bytes(input)));
  }
  std::string token_proof(const crypto::SigningKey& key) {
    return dpop(key, "POST", std::string(kIssuer) + "/oauth2/token");
  }
  static crypto::SigningKey new_key() {
    return crypto::SigningKey::generate(crypto::SigningAlgorithm::es256).value();
  }
};

TEST_F(ParTest, APushedRequestIsUsedOnce) {
  const auto uri = pushed(request());
  EXPECT_TRUE(uri.starts_with("urn:ietf:params:oauth:request_uri:"));
  const auto shown = use(uri);
  EXPECT_EQ(shown.kind, Kind::sign_in);
  EXPECT_EQ(run(provider_->signed_in(shown.pending, browser(), proof())).parameters.value("state"), "a&b=c");
  EXPECT_EQ(use(uri).kind, Kind::error_page);
}

// FAPI 2.0 Security Profile §5.3.2.2 note 3: the page was loaded again, and the request was gone.
TEST_F(ParTest, APushedRequestIsUsedUpByItsCodeNotByAPage) {
  const auto uri = pushed(request());
  const auto first = use(uri), second = use(uri);
  ASSERT_EQ(second.kind, Kind::sign_in);
  pass(61);  // the page was open longer than the reference lives
  EXPECT_FALSE(run(provider_->signed_in(second.pending, browser(), proof())).parameters.value("code").empty());
  const auto late = run(provider_->signed_in(first.pending, browser(), proof()));
  EXPECT_EQ(late.kind, Kind::error_page);
  EXPECT_TRUE(late.page_is_over);
}

TEST_F(ParTest, APushedRequestGivesOneCodeWithoutAPageToo) {
  ASSERT_TRUE(sign_in(request()).set_session);
  const auto uri = pushed(request("app", {{"prompt", "none"}}));
  EXPECT_EQ(use(uri).kind, Kind::respond);
  EXPECT_EQ(use(uri).kind, Kind::error_page);
}

TEST_F(ParTest, APushedRequestRunsOutAndIsItsClientsAlone) {
  const auto uri = pushed(request());
  EXPECT_EQ(use(uri, "other").kind, Kind::error_page);
  EXPECT_EQ(use(uri).kind, Kind::sign_in);  // untouched by that
  const auto late = pushed(request());
  pass(60);
  EXPECT_EQ(use(late).kind, Kind::error_page);
}

TEST_F(ParTest, WhatIsWrongIsToldWhenItIsPushed) {
  EXPECT_EQ(refused(push(request("app", {{"redirect_uri", "https://evil.example/"}}))), "invalid_request");
  EXPECT_EQ(refused(push(request("app", {{"response_type", "token"}}))), "unsupported_response_type");
  EXPECT_EQ(refused(push(request("app", {{"request_uri", "urn:ietf:params:oauth:request_uri:x"}}))),
            "invalid_request");
  EXPECT_EQ(refused(push(request("server"))), "invalid_client");
}

TEST_F(ParTest, AClientThatMustPushCan) {
  change("app", [](Client& c) { c.require_par = true; });
  EXPECT_EQ(authorize(request()).parameters.value("error"), "invalid_request");
  EXPECT_EQ(use(pushed(request())).kind, Kind::sign_in);
}

TEST_F(ParTest, AParameterBesideARequestUriChangesNothing) {
  const auto uri = pushed(request());
  auto shown = authorize(form_of({{"client_id", "app"}, {"request_uri", uri}, {"state", "other"}}));
  EXPECT_EQ(run(provider_->signed_in(shown.pending, browser(), proof())).parameters.value("state"), "a&b=c");
}

TEST_F(ParTest, TokensAreBoundToTheProofsKey) {
  const auto key = new_key(), other = new_key();
  const auto answer = post(redeeming(code()), token_proof(key));
  ASSERT_TRUE(answer) << answer.error().description;
  EXPECT_EQ(text(*answer, "token_type"), "DPoP");
  const std::string access = text(*answer, "access_token");
  const std::string url = std::string(kIssuer) + "/oauth2/userinfo";
  const auto look = [&](bool scheme, const std::string& proof_text) {
    TokenRequest request;
    request.dpop = proof_text;
    request.url = url;
    return run(provider_->userinfo(access, scheme, std::move(request), "GET"));
  };
  EXPECT_FALSE(look(false, ""));
  EXPECT_FALSE(look(true, ""));
  EXPECT_FALSE(look(true, dpop(other, "GET", url, access)));
  EXPECT_FALSE(look(true, dpop(key, "GET", url)));
  const auto good = dpop(key, "GET", url, access);
  EXPECT_TRUE(look(true, good));
  EXPECT_EQ(look(true, good).error().code, "invalid_dpop_proof");  // used once
  EXPECT_FALSE(run(provider_->token_info(access)));
  // A public client's refresh token is bound as well.
  const auto refresh = refreshing(text(*answer, "refresh_token"));
  EXPECT_EQ(refused(post(refresh)), "invalid_grant");
  EXPECT_EQ(refused(post(refresh, token_proof(other))), "invalid_grant");
  EXPECT_TRUE(post(refresh, token_proof(key)));
}

TEST_F(ParTest, AProofCountsOnce) {
  const auto proof_text = token_proof(new_key());
  EXPECT_TRUE(post(redeeming(code()), proof_text));
  const auto secret = code();
  EXPECT_EQ(refused(post(redeeming(secret), proof_text)), "invalid_dpop_proof");
  EXPECT_TRUE(post(redeeming(secret)));  // nothing was used up
}

TEST_F(ParTest, ACodeCanBeBoundToAKeyBeforehand) {
  const auto key = new_key();
  const Fields bound{{"dpop_jkt", key.public_key().thumbprint()}};
  EXPECT_EQ(refused(post(redeeming(code(bound)))), "invalid_grant");
  EXPECT_EQ(refused(post(redeeming(code(bound)), token_proof(new_key()))), "invalid_grant");
  EXPECT_TRUE(post(redeeming(code(bound)), token_proof(key)));
}

TEST_F(ParTest, AClientThatMustUseDpopLosesNoCodeWithoutIt) {
  change("app", [](Client& c) { c.require_dpop = true; });
  const auto secret = code();
  EXPECT_EQ(refused(post(redeeming(secret))), "invalid_dpop_proof");
  EXPECT_TRUE(post(redeeming(secret), token_proof(new_key())));
}

}  // namespace
}  // namespace muhur::oidc

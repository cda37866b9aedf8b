// DPoP nonces of the server (RFC 9449 §8 and §9), at the token endpoint, the pushed request and userinfo.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/random.hpp"
#include "crypto/mac.hpp"
#include "oidc/provider_fixture.hpp"

namespace muhur::oidc {
namespace {

class DpopNonceTest : public WithProvider {
 protected:
  std::string proof(std::string_view method, std::string_view path, const std::string& nonce,
                    std::string_view access_token = {}) {
    boost::json::object claims{{"jti", random_token()},
                               {"htm", method},
                               {"htu", std::string(kIssuer) + std::string(path)},
                               {"iat", clock_.now_s()}};
    if (!nonce.empty()) claims["nonce"] = nonce;
    if (!access_token.empty()) claims["ath"] = to_base64url(crypto::sha256(as_bytes(access_token)));
    const boost::json::object header{
        {"typ", "dpop+jwt"}, {"alg", "ES256"}, {"jwk", boost::json::parse(key_.public_key().jwk())}};
    const std::string input = to_base64url(as_bytes(boost::json::serialize(header))) + "." +
                              to_base64url(as_bytes(boost::json::serialize(claims)));
    return input + "." + to_base64url(key_.sign(as_bytes(input)));
  }
  // What the request came to; `fresh_` has what goes into DPoP-Nonce beside it.
  JsonAnswer token(const Fields& fields, const std::string& nonce) {
    const auto form = form_of(fields);
    fresh_.clear();
    TokenRequest request;
    request.presented.form = &form;
    request.dpop = proof("POST", "/oauth2/token", nonce);
    request.url = std::string(kIssuer) + "/oauth2/token";
    request.fresh_nonce = &fresh_;
    return run(provider_->token(std::move(request)));
  }
  std::expected<Provider::UserInfo, OAuthError> userinfo(const std::string& access_token,
                                                         const std::string& nonce) {
    fresh_.clear();
    TokenRequest request;
    request.dpop = proof("GET", "/oauth2/userinfo", nonce, access_token);
    request.url = std::string(kIssuer) + "/oauth2/userinfo";
    request.fresh_nonce = &fresh_;
    return run(provider_->userinfo(access_token, true, std::move(request), "GET"));
  }
  void require_nonces(bool required = true) {
    change("app", [&](Client& c) { c.require_dpop = c.require_dpop_nonce = required; });
  }

  crypto::SigningKey key_ = *crypto::SigningKey::generate(crypto::SigningAlgorithm::es256);
  std::string fresh_;
};

TEST_F(DpopNonceTest, OneTripMoreAndTheCodeIsStillGood) {
  require_nonces();
  const auto request = redeeming(code());
  const auto asked = token(request, "");
  ASSERT_EQ(refused(asked), "use_dpop_nonce");
  EXPECT_EQ(asked.error().status, 400);
  EXPECT_FALSE(asked.error().dpop_nonce.empty());
  EXPECT_EQ(asked.error().dpop_nonce, fresh_);
  const auto answer = token(request, asked.error().dpop_nonce);
  ASSERT_TRUE(answer) << answer.error().description;
  EXPECT_EQ(text(*answer, "token_type"), "DPoP");
  EXPECT_FALSE(fresh_.empty()) << "the next nonce comes with each answer";
}

TEST_F(DpopNonceTest, UserinfoAsksWithAChallenge) {
  require_nonces();
  const auto request = redeeming(code());
  const auto answer = token(request, token(request, "").error().dpop_nonce);
  ASSERT_TRUE(answer);
  const std::string access = text(*answer, "access_token");
  const auto asked = userinfo(access, "");
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().status, 401);
  EXPECT_TRUE(asked.error().www_authenticate.starts_with("DPoP error=\"use_dpop_nonce\""))
      << asked.error().www_authenticate;
  EXPECT_TRUE(userinfo(access, asked.error().dpop_nonce));
  EXPECT_FALSE(fresh_.empty());
}

TEST_F(DpopNonceTest, ANonceIsGoodForMinutesAndNoLonger) {
  require_nonces();
  const auto first = redeeming(code());
  const std::string nonce = token(first, "").error().dpop_nonce;
  pass(290);
  const auto later = redeeming(code());
  const auto answer = token(later, nonce);
  ASSERT_TRUE(answer) << answer.error().description;
  const std::string fresh = fresh_;
  pass(320);
  const auto last = redeeming(code());
  EXPECT_EQ(refused(token(last, nonce)), "use_dpop_nonce");
  EXPECT_TRUE(token(last, fresh)) << "that of the last answer was younger";
}

TEST_F(DpopNonceTest, AnothersNonceIsNone) {
  require_nonces();
  const auto request = redeeming(code());
  for (const std::string made_up : {"guessed", "AAAAAAAAAAAAAAAAAAAAAA"})
    EXPECT_EQ(refused(token(request, made_up)), "use_dpop_nonce");
}

TEST_F(DpopNonceTest, UnlessItIsAskedForNobodyHearsOfIt) {
  const auto request = redeeming(code());
  const auto answer = token(request, "");
  ASSERT_TRUE(answer) << answer.error().description;
  EXPECT_TRUE(fresh_.empty());
  EXPECT_TRUE(userinfo(text(*answer, "access_token"), ""));
  EXPECT_TRUE(fresh_.empty());
}

TEST_F(DpopNonceTest, TheServerMayAskItOfEveryClient) {
  provider_.reset();
  ProviderOptions options;
  options.issuer = kIssuer;
  options.require_dpop_nonce = true;
  provider_ = Provider::open(data_, server_key_, *directory_, std::move(options)).value();
  const auto request = redeeming(code());
  const auto asked = token(request, "");
  ASSERT_EQ(refused(asked), "use_dpop_nonce");
  EXPECT_TRUE(token(request, asked.error().dpop_nonce));
  // Only of those that use DPoP.
  EXPECT_TRUE(post(redeeming(code())));
}

}  // namespace
}  // namespace muhur::oidc

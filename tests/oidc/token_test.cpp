// The token endpoint.
#include <thread>

#include <boost/json/array.hpp>

#include "crypto/mac.hpp"
#include "oidc/provider_fixture.hpp"

namespace muhur::oidc {
namespace {

class TokenTest : public WithProvider {};

TEST_F(TokenTest, ACodeGivesTokensThatSayWhoSignedIn) {
  const auto answer = tokens();
  EXPECT_EQ(text(answer, "token_type"), "Bearer");
  EXPECT_EQ(text(answer, "scope"), "openid profile email");
  EXPECT_EQ(answer.at("expires_in").as_int64(), 600);
  const auto claims = id_token_claims(answer);
  EXPECT_EQ(text(claims, "iss"), kIssuer);
  EXPECT_EQ(text(claims, "aud"), "app");
  EXPECT_EQ(text(claims, "nonce"), "n-1");
  EXPECT_EQ(text(claims, "at_hash"), half_hash(text(answer, "access_token")));
  EXPECT_EQ(claims.at("auth_time").as_int64(), clock_.now_s());
  EXPECT_FALSE(text(claims, "sid").empty());
  // Bug class 45: what happened, not what could have.
  EXPECT_EQ(claims.at("amr"), (boost::json::array{"pwd"}));
  EXPECT_EQ(text(claims, "acr"), "1");
  // Bug class 30.
  EXPECT_FALSE(claims.contains("nbf"));
}

TEST_F(TokenTest, Bug06ASecondUseOfACodeTakesBackWhatTheFirstGave) {
  const auto secret = code();
  const auto first = post(redeeming(secret));
  ASSERT_TRUE(first);
  pass(30);
  EXPECT_EQ(refused(post(redeeming(secret))), "invalid_grant");
  EXPECT_FALSE(is_active(text(*first, "access_token")));
  EXPECT_EQ(refused(post(refreshing(text(*first, "refresh_token")))), "invalid_grant");
}

TEST_F(TokenTest, Bug06OfTwentyParallelRedemptionsOneSucceeds) {
  // The winner's tokens go with the losers.
  const auto secret = code();
  std::atomic<int> good = 0, bad = 0;
  std::vector<std::string> access(20);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 20; ++i)
      threads.emplace_back([&, i] {
        const auto got = post(redeeming(secret));
        if (got) access[i] = text(*got, "access_token");
        ++(got ? good : bad);
      });
  }
  EXPECT_EQ(good, 1);
  EXPECT_EQ(bad, 19);
  for (const auto& token : access)
    if (!token.empty()) EXPECT_FALSE(is_active(token));
}

TEST_F(TokenTest, Bug07And10ACodeThatIsShownWronglyIsBurnt) {
  const auto with = [&](std::string_view name, std::string value) {
    auto fields = redeeming(code());
    for (auto& [field, old] : fields)
      if (field == name) old = value;
    std::erase_if(fields, [](const auto& field) { return field.second.empty(); });
    return fields;
  };
  const std::string wrong(43, 'x');
  for (const auto& fields :
       {with("client_id", "other"), with("redirect_uri", "https://app.example/"), with("redirect_uri", ""),
        with("code_verifier", ""), with("code_verifier", wrong)}) {
    EXPECT_EQ(refused(post(fields)), "invalid_grant");
    EXPECT_EQ(refused(post(redeeming(fields[1].second))), "invalid_grant");
  }
}

TEST_F(TokenTest, Bug10AVerifierForACodeWithoutChallengeIsRefused) {
  change("server", [](Client& c) { c.require_pkce = false; });
  const auto secret = code({{"code_challenge", ""}, {"code_challenge_method", ""}}, "server");
  auto fields = redeeming(secret, "server");
  fields.emplace_back("client_secret", server_secret_);
  EXPECT_EQ(refused(post(fields)), "invalid_grant");
}

TEST_F(TokenTest, ACodeRunsOut) {
  const auto secret = code();
  pass(61);
  EXPECT_EQ(refused(post(redeeming(secret))), "invalid_grant");
}

TEST_F(TokenTest, Bug52ARefreshRotatesAndKeepsWhoAndWhen) {
  const auto first = tokens();
  const auto claims = id_token_claims(first);
  pass(1'000);
  const auto second = post(refreshing(text(first, "refresh_token")));
  ASSERT_TRUE(second);
  EXPECT_NE(text(*second, "refresh_token"), text(first, "refresh_token"));
  const auto later = id_token_claims(*second);
  EXPECT_EQ(later.at("auth_time"), claims.at("auth_time"));
  EXPECT_EQ(later.at("sid"), claims.at("sid"));
  EXPECT_EQ(later.at("sub"), claims.at("sub"));
  EXPECT_FALSE(later.contains("nonce"));
  EXPECT_TRUE(is_active(text(*second, "refresh_token")));
  EXPECT_FALSE(is_active(text(first, "refresh_token")));
}

TEST_F(TokenTest, Bug09ALostAnswerIsAskedForAgainWithinTheGrace) {
  // The same successor, not a second one.
  const auto first = tokens();
  const auto second = post(refreshing(text(first, "refresh_token")));
  pass(10);
  const auto again = post(refreshing(text(first, "refresh_token")));
  ASSERT_TRUE(second && again);
  EXPECT_EQ(text(*again, "refresh_token"), text(*second, "refresh_token"));
  EXPECT_TRUE(post(refreshing(text(*again, "refresh_token"))));
}

TEST_F(TokenTest, Bug08And51ReuseAfterTheGraceEndsTheFamilyAtThatClientOnly) {
  const auto elsewhere = post(redeeming(code({}, "other"), "other"));
  const auto first = tokens();
  const auto second = post(refreshing(text(first, "refresh_token")));
  ASSERT_TRUE(second && elsewhere);
  pass(11);
  EXPECT_EQ(refused(post(refreshing(text(first, "refresh_token")))), "invalid_grant");
  EXPECT_EQ(refused(post(refreshing(text(*second, "refresh_token")))), "invalid_grant");
  EXPECT_FALSE(is_active(text(*second, "access_token")));
  EXPECT_TRUE(post(refreshing(text(*elsewhere, "refresh_token"), "other")));
}

TEST_F(TokenTest, Bug08OfTwentyParallelRefreshesOneRotates) {
  const auto token = text(tokens(), "refresh_token");
  std::vector<std::string> successors(20);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 20; ++i)
      threads.emplace_back([&, i] {
        const auto got = post(refreshing(token));
        if (got) successors[i] = text(*got, "refresh_token");
      });
  }
  for (const auto& successor : successors) EXPECT_EQ(successor, successors[0]);
  EXPECT_FALSE(successors[0].empty());
  EXPECT_TRUE(post(refreshing(successors[0])));
}

TEST_F(TokenTest, Bug51And55ARefreshTokenOfThirtyDaysWorksOnDayTwentyNineWhateverWasSwept) {
  const auto token = text(tokens(), "refresh_token");
  for (int day = 0; day < 29; ++day) {
    pass(86'400);
    ASSERT_TRUE(provider_->sweep());
  }
  EXPECT_TRUE(post(refreshing(token)));
  pass(29 * 86'400);
  ASSERT_TRUE(provider_->sweep());
  EXPECT_EQ(refused(post(refreshing(token))), "invalid_grant");
}

TEST_F(TokenTest, Bug52AWrongScopeAtRefreshIsRefusedBeforeAnythingIsUsedUp) {
  const auto token = text(tokens(), "refresh_token");
  auto fields = refreshing(token);
  fields.emplace_back("scope", "openid mail");
  EXPECT_EQ(refused(post(fields)), "invalid_scope");
  pass(20);
  fields.back().second = "openid";
  const auto narrow = post(fields);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(text(*narrow, "scope"), "openid");
  const auto wide = post(refreshing(text(*narrow, "refresh_token")));
  EXPECT_EQ(text(*wide, "scope"), "openid profile email");
}

TEST_F(TokenTest, Bug38ARefreshTokenIsItsClientsAlone) {
  const auto token = text(tokens(), "refresh_token");
  EXPECT_EQ(refused(post(refreshing(token, "other"))), "invalid_grant");
  auto fields = redeeming(code({}, "server"), "server");
  fields.emplace_back("client_secret", server_secret_);
  const auto confidential = post(fields);
  ASSERT_TRUE(confidential);
  const auto secret = text(*confidential, "refresh_token");
  EXPECT_EQ(refused(post(refreshing(secret, "server"))), "invalid_client");
  EXPECT_EQ(refused(post({{"grant_type", "refresh_token"}, {"refresh_token", secret}})), "invalid_client");
  EXPECT_TRUE(post(refreshing(token)));
}

TEST_F(TokenTest, Bug50ADisabledUserGetsNoMore) {
  const auto answer = tokens();
  ASSERT_TRUE(accounts::Users(*directory_).set_disabled(user_.id, true));
  EXPECT_FALSE(is_active(text(answer, "access_token")));
  EXPECT_EQ(refused(post(refreshing(text(answer, "refresh_token")))), "invalid_grant");
}

TEST_F(TokenTest, Bug32EachGrantAsksTheClientsPolicy) {
  // Client by grant.
  Client bare{.id = "bare", .name = "Bare", .auth = ClientAuth::post, .grant_types = {"client_credentials"}};
  const std::string secret = add(bare);
  struct Row {
    const char *grant, *app, *bare;
  };
  for (const auto& [grant, at_app, at_bare] :
       {Row{"authorization_code", "invalid_request", "unauthorized_client"},
        Row{"refresh_token", "invalid_request", "unauthorized_client"},
        Row{"client_credentials", "unauthorized_client", "ok"},
        Row{"urn:ietf:params:oauth:grant-type:device_code", "invalid_request", "unauthorized_client"},
        Row{"password", "unsupported_grant_type", "unsupported_grant_type"},
        Row{"implicit", "unsupported_grant_type", "unsupported_grant_type"}}) {
    EXPECT_EQ(refused(post({{"grant_type", grant}, {"client_id", "app"}})), at_app) << grant;
    EXPECT_EQ(refused(post({{"grant_type", grant}, {"client_id", "bare"}, {"client_secret", secret}})),
              at_bare)
        << grant;
  }
  EXPECT_EQ(refused(post({{"client_id", "app"}})), "invalid_request");
}

TEST_F(TokenTest, ClientCredentialsAreTheClientsOwn) {
  Fields fields = server_credentials();
  fields.emplace_back("grant_type", "client_credentials");
  fields.emplace_back("scope", "reports");
  const auto answer = post(fields);
  ASSERT_TRUE(answer);
  EXPECT_EQ(text(*answer, "scope"), "reports");
  EXPECT_FALSE(answer->contains("refresh_token"));
  EXPECT_FALSE(answer->contains("id_token"));
  const auto seen = introspect(text(*answer, "access_token"));
  ASSERT_TRUE(seen);
  EXPECT_EQ(text(*seen, "sub"), "server");
  EXPECT_EQ(text(*seen, "client_id"), "server");
  fields.back().second = "openid";
  EXPECT_EQ(refused(post(fields)), "invalid_scope");
  fields.back().second = "mail";
  EXPECT_EQ(refused(post(fields)), "invalid_scope");
}

TEST_F(TokenTest, AnAccessTokenCanBeAJwt) {
  change("app", [](Client& c) { c.access_token = AccessTokenFormat::jwt; });
  const auto answer = tokens({{"resource", "https://api.example"}});
  const std::string token = text(answer, "access_token");
  const auto jws = parse_jws(token);
  ASSERT_TRUE(jws);
  EXPECT_EQ(text(jws->header, "typ"), "at+jwt");
  const auto key = provider_->keys().find(text(jws->header, "kid"));
  ASSERT_TRUE(key && verify_jws(*jws, *key, kAccepted));
  EXPECT_EQ(text(jws->payload, "aud"), "https://api.example");
  EXPECT_EQ(text(jws->payload, "client_id"), "app");
  EXPECT_EQ(text(jws->payload, "scope"), "openid profile email");
  EXPECT_FALSE(jws->payload.contains("mail_key"));
  EXPECT_TRUE(is_active(token));
  // It is no ID token.
  EXPECT_EQ(authorize(request("app", {{"id_token_hint", token}})).parameters.value("error"),
            "invalid_request");
}

TEST_F(TokenTest, ResourcesCanBeNarrowedAndNotWidened) {
  auto fields = redeeming(code({{"resource", "https://api.example"}}));
  fields.emplace_back("resource", "https://mail.example");
  EXPECT_EQ(refused(post(fields)), "invalid_target");
}

TEST_F(TokenTest, MailScopeCarriesTheMailboxKeyFromHandToHand) {
  for (const auto format : {AccessTokenFormat::opaque, AccessTokenFormat::jwt}) {
    change("app", [&](Client& c) { c.access_token = format; });
    // The cookie, too, hands it on.
    const auto answer = tokens({{"scope", "openid mail"}});
    const auto by_cookie = authorize(request("app", {{"scope", "openid mail"}}), browser(cookie_));
    const auto second = post(redeeming(std::string(by_cookie.parameters.value("code"))));
    const auto third = post(refreshing(text(answer, "refresh_token")));
    const auto repeated = post(refreshing(text(answer, "refresh_token")));
    ASSERT_TRUE(second && third && repeated);
    for (const auto* one : {&answer, &*second, &*third, &*repeated}) {
      const auto info = run(provider_->token_info(text(*one, "access_token")));
      ASSERT_TRUE(info) << info.error().text();
      EXPECT_EQ(info->user, user_.id);
      EXPECT_EQ(info->scope, "openid mail");
      EXPECT_TRUE(info->dek == dek_);
    }
  }
}

TEST_F(TokenTest, WithoutMailScopeNoKeyGoesAlong) {
  const auto answer = tokens({{"scope", "openid mail"}});
  auto fields = refreshing(text(answer, "refresh_token"));
  fields.emplace_back("scope", "openid");
  const auto narrow = post(fields);
  ASSERT_TRUE(narrow);
  EXPECT_TRUE(run(provider_->token_info(text(*narrow, "access_token")))->dek.empty());
  EXPECT_TRUE(run(provider_->token_info(text(tokens(), "access_token")))->dek.empty());
}

TEST_F(TokenTest, AnIdTokenHasTheClaimsThatWereNamedForIt) {
  const auto claims = id_token_claims(
      tokens({{"claims", R"({"id_token":{"email":{"essential":true}}})"}, {"scope", "openid"}}));
  EXPECT_EQ(text(claims, "email"), "ayse@example.org");
  EXPECT_FALSE(claims.contains("name"));
}

TEST_F(TokenTest, EveryAlgorithmOfAClientSigns) {
  for (const auto algorithm : {crypto::SigningAlgorithm::es256, crypto::SigningAlgorithm::eddsa}) {
    change("app", [&](Client& c) { c.id_token_algorithm = algorithm; });
    const auto answer = tokens();
    EXPECT_EQ(text(id_token_claims(answer), "at_hash"), half_hash(text(answer, "access_token"), algorithm));
  }
}

TEST_F(TokenTest, AParameterThatIsThereTwiceIsRefused) {
  auto fields = redeeming(code());
  fields.emplace_back("code", "another");
  EXPECT_EQ(refused(post(fields)), "invalid_request");
  fields.pop_back();
  EXPECT_TRUE(post(fields));
}

}  // namespace
}  // namespace muhur::oidc

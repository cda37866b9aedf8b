// Looking at tokens, taking them back, and userinfo.
#include <thread>

#include "oidc/provider_fixture.hpp"
#include "oidc/refusal.hpp"

namespace muhur::oidc {
namespace {

class IntrospectTest : public WithProvider {
 protected:
  JsonAnswer by_bearer(const std::string& bearer, const std::string& token) {
    const auto form = form_of({{"token", token}});
    TokenRequest request;
    request.presented = {"Bearer " + bearer, &form};
    return run(provider_->introspect(std::move(request)));
  }
  auto userinfo(const std::string& bearer) { return run(provider_->userinfo(bearer, false, {}, "GET")); }
};

TEST_F(IntrospectTest, AnActiveTokenSaysWhoseItIs) {
  change("server", [](Client& c) { c.may_introspect = true; });
  const auto answer = introspect(text(tokens(), "access_token"));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->at("active").as_bool());
  EXPECT_EQ(text(*answer, "client_id"), "app");
  EXPECT_EQ(text(*answer, "username"), "ayse@example.org");
  EXPECT_EQ(text(*answer, "scope"), "openid profile email");
  EXPECT_EQ(text(*answer, "iss"), kIssuer);
  EXPECT_EQ(text(*answer, "aud"), kIssuer);
  EXPECT_EQ(answer->at("exp").as_int64(), clock_.now_s() + 600);
}

TEST_F(IntrospectTest, OthersTokensLookInactive) {
  const auto answer = introspect(text(tokens(), "access_token"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer, (boost::json::object{{"active", false}}));
  EXPECT_EQ(*introspect("nonsense"), (boost::json::object{{"active", false}}));
}

TEST_F(IntrospectTest, ATokenRunsOut) {
  const auto token = text(tokens(), "access_token");
  EXPECT_TRUE(is_active(token));
  pass(600);
  EXPECT_FALSE(is_active(token));
}

TEST_F(IntrospectTest, APublicClientMayNotLook) {
  EXPECT_EQ(refused(introspect("x", {{"client_id", "app"}})), "invalid_client");
}

TEST_F(IntrospectTest, AnAdministratorsTokenMayLookAndAUsersOnlyAtItself) {
  const auto token = text(tokens(), "access_token"), another = text(tokens(), "access_token");
  const auto no = by_bearer(token, another);
  ASSERT_FALSE(no);
  EXPECT_EQ(no.error().status, 403);
  EXPECT_EQ(refused(by_bearer(token, "nonsense")), "insufficient_scope");
  const auto none = by_bearer("nonsense", token);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().status, 401);
  const auto itself = by_bearer(token, token);
  ASSERT_TRUE(itself);
  EXPECT_TRUE(itself->at("active").as_bool());
  ASSERT_TRUE(accounts::Users(*directory_).set_admin(user_.id, true));
  const auto answer = by_bearer(token, another);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->at("active").as_bool());
}

TEST_F(IntrospectTest, ATokenOfAClientThatMayLookDoesToo) {
  change("server", [](Client& c) { c.may_introspect = true; });
  auto fields = redeeming(code({}, "server"), "server");
  fields.emplace_back("client_secret", server_secret_);
  const auto own = post(fields);
  ASSERT_TRUE(own);
  const auto answer = by_bearer(text(*own, "access_token"), text(tokens(), "access_token"));
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->at("active").as_bool());
}

TEST_F(IntrospectTest, Bug51RevokingAnAccessTokenIsNoReplayAtTheNextRefresh) {
  const auto answer = tokens();
  EXPECT_EQ(revoke(text(answer, "access_token")), "ok");
  EXPECT_FALSE(is_active(text(answer, "access_token")));
  EXPECT_TRUE(post(refreshing(text(answer, "refresh_token"))));
}

TEST_F(IntrospectTest, RevokingARefreshTokenEndsTheFamily) {
  const auto answer = tokens();
  EXPECT_EQ(revoke(text(answer, "refresh_token")), "ok");
  EXPECT_FALSE(is_active(text(answer, "access_token")));
  EXPECT_EQ(refused(post(refreshing(text(answer, "refresh_token")))), "invalid_grant");
  EXPECT_EQ(revoke(text(answer, "refresh_token")), "ok");
  EXPECT_EQ(revoke("nonsense"), "ok");
}

TEST_F(IntrospectTest, NobodyRevokesOthersTokens) {
  const auto answer = tokens();
  EXPECT_EQ(revoke(text(answer, "access_token"), "other"), "unauthorized_client");
  EXPECT_EQ(revoke(text(answer, "refresh_token"), "other"), "unauthorized_client");
  EXPECT_TRUE(is_active(text(answer, "access_token")));
}

TEST_F(IntrospectTest, UserinfoGivesWhatTheScopesGive) {
  const auto answer = tokens();
  const auto info = userinfo(text(answer, "access_token"));
  ASSERT_TRUE(info) << info.error().code;
  EXPECT_EQ(text(info->claims, "sub"), text(id_token_claims(answer), "sub"));
  EXPECT_EQ(text(info->claims, "email"), "ayse@example.org");
  EXPECT_TRUE(info->claims.at("email_verified").as_bool());
  EXPECT_EQ(text(info->claims, "name"), "Test");
  EXPECT_FALSE(info->claims.contains("groups"));
  const auto bare = userinfo(text(tokens({{"scope", "openid"}}), "access_token"));
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->claims.size(), 1U);
}

TEST_F(IntrospectTest, UserinfoRefusesWithAChallenge) {
  for (const std::string bearer : {"", "nonsense"}) {
    const auto info = userinfo(bearer);
    ASSERT_FALSE(info);
    EXPECT_EQ(info.error().status, 401);
    EXPECT_EQ(info.error().www_authenticate, "Bearer error=\"invalid_token\"");
  }
  const auto refresh = userinfo(text(tokens(), "refresh_token"));
  EXPECT_EQ(refresh.error().status, 401);
  const auto info = userinfo(text(tokens({{"scope", "profile"}}), "access_token"));
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().status, 403);
}

TEST_F(IntrospectTest, UserinfoCanBeSigned) {
  change("app", [](Client& c) { c.userinfo_signed_response = "ES256"; });
  const auto info = userinfo(text(tokens(), "access_token"));
  ASSERT_TRUE(info);
  const auto jws = parse_jws(info->jwt);
  ASSERT_TRUE(jws);
  EXPECT_EQ(text(jws->payload, "aud"), "app");
  EXPECT_EQ(text(jws->payload, "iss"), kIssuer);
  EXPECT_EQ(text(jws->payload, "email"), "ayse@example.org");
}

TEST_F(IntrospectTest, TheSubjectSaysNothingAndStays) {
  const auto sub = text(id_token_claims(tokens()), "sub");
  EXPECT_EQ(sub.size(), 24U);
  open_provider();
  EXPECT_EQ(text(id_token_claims(tokens()), "sub"), sub);
}

TEST_F(IntrospectTest, Bug34AHeldWriteLockIsWaitedFor) {
  // A locked database is neither a wrong code nor a wrong token.
  const auto secret = code();
  const vault::Key key = accounts::database_key(server_key_, "sessions");
  vault::OpenOptions options;
  options.path = data_ / "sessions.db";
  options.key = &key;
  auto holder = vault::Connection::open(options);
  ASSERT_TRUE(holder) << holder.error().text();
  ASSERT_TRUE((*holder)->exec("BEGIN IMMEDIATE"));
  std::jthread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_TRUE((*holder)->exec("COMMIT"));
  });
  const auto answer = post(redeeming(secret));
  ASSERT_TRUE(answer) << answer.error().code;
  EXPECT_TRUE(userinfo(text(*answer, "access_token")));
}

TEST_F(IntrospectTest, Bug24And34WhatIsBusyIs503AndNever401) {
  for (const auto code :
       {muhur::Code::busy, muhur::Code::no_space, muhur::Code::io, muhur::Code::timed_out}) {
    const auto error = failure_of(Error{code, "the database is locked", {}});
    EXPECT_EQ(error.status, 503);
    EXPECT_GT(error.retry_after_s, 0);
    EXPECT_EQ(error.description.find("locked"), std::string::npos);
  }
  EXPECT_EQ(failure_of(Error{muhur::Code::corrupt, "page 7", {}}).status, 500);
}

}  // namespace
}  // namespace muhur::oidc

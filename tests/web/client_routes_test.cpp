#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "web/routes_fixture.hpp"

namespace muhur::web {
namespace {

class ClientRoutes : public WithRoutes {
 protected:
  boost::json::object tokens_by_http() {
    const auto done = sign_in(get(authorize_url("app", {{"scope", "openid email offline_access"}})));
    return object(post("/oauth2/token", redeeming(parameter(done.header("location"), "code"))));
  }
};

TEST_F(ClientRoutes, WhatIsNoFormIsAnInvalidRequest) {
  for (const char* path : {"/oauth2/token", "/oauth2/par", "/oauth2/introspect", "/oauth2/revoke"}) {
    const auto answer = send("POST", path, "Content-Type: text/plain\r\n", "grant_type=x");
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_EQ(oidc::text(object(answer), "error"), "invalid_request") << path;
    EXPECT_EQ(answer.header("cache-control"), "no-store");
  }
  EXPECT_EQ(get("/oauth2/token").status, 405);
}

TEST_F(ClientRoutes, AWrongSecretIs401WithAChallengeOnlyForBasic) {
  const oidc::Fields grant{{"grant_type", "client_credentials"}};
  const auto basic = post("/oauth2/token", grant, "Authorization: Basic c2VydmVyOndyb25n\r\n");
  EXPECT_EQ(basic.status, 401);
  EXPECT_TRUE(basic.header("www-authenticate").starts_with("Basic"));
  auto in_body = grant;
  in_body.insert(in_body.end(), {{"client_id", "server"}, {"client_secret", "wrong"}});
  const auto posted = post("/oauth2/token", in_body);
  EXPECT_EQ(posted.status, 401);
  EXPECT_EQ(oidc::text(object(posted), "error"), "invalid_client");
}

TEST_F(ClientRoutes, TwoAuthorizationHeadersAreRefused) {
  const auto answer = post("/oauth2/token", {{"grant_type", "client_credentials"}},
                           "Authorization: Basic YTpi\r\nAuthorization: Basic Yzpk\r\n");
  EXPECT_EQ(answer.status, 400);
}

TEST_F(ClientRoutes, IntrospectionTakesAFormOrJsonWithABearer) {
  const std::string access = oidc::text(tokens_by_http(), "access_token");
  const auto json = send("POST", "/oauth2/introspect",
                         "Content-Type: application/json\r\nAuthorization: Bearer " + access + "\r\n",
                         "{\"token\":\"" + access + "\"}");
  ASSERT_EQ(json.status, 200) << json.body;
  EXPECT_TRUE(object(json).at("active").as_bool());
  change("server", [](oidc::Client& c) { c.may_introspect = true; });
  auto fields = server_credentials();
  fields.emplace_back("token", access);
  EXPECT_TRUE(object(post("/oauth2/introspect", fields)).at("active").as_bool());
  EXPECT_EQ(post("/oauth2/introspect", {{"token", access}}).status, 401);
  EXPECT_EQ(send("POST", "/oauth2/introspect",
                 "Content-Type: application/json\r\nAuthorization: Bearer x\r\n", "[1]")
                .status,
            400);
}

TEST_F(ClientRoutes, ARevokedTokenIsNoLongerGood) {
  const std::string access = oidc::text(tokens_by_http(), "access_token");
  EXPECT_EQ(post("/oauth2/revoke", {{"token", access}, {"client_id", "app"}}).status, 200);
  EXPECT_EQ(send("GET", "/oauth2/userinfo", "Authorization: Bearer " + access + "\r\n").status, 401);
}

TEST_F(ClientRoutes, UserinfoTakesTheTokenFromHeaderOrBodyButNotFromBothOrTheAddress) {
  const std::string access = oidc::text(tokens_by_http(), "access_token");
  const std::string header = "Authorization: Bearer " + access + "\r\n";
  EXPECT_EQ(send("GET", "/oauth2/userinfo", header).status, 200);
  EXPECT_EQ(send("POST", "/oauth2/userinfo", header).status, 200);
  EXPECT_EQ(post("/oauth2/userinfo", {{"access_token", access}}).status, 200);
  EXPECT_EQ(post("/oauth2/userinfo", {{"access_token", access}}, header).status, 400);
  const auto none = get("/oauth2/userinfo?access_token=" + access);
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.header("www-authenticate"), "Bearer");
  const auto wrong = send("GET", "/oauth2/userinfo", "Authorization: Bearer nothing\r\n");
  EXPECT_EQ(wrong.header("www-authenticate"), "Bearer error=\"invalid_token\"");
}

TEST_F(ClientRoutes, APushedRequestIsUsedOnce) {
  auto fields = server_credentials();
  for (const auto& [name, value] : request("server").fields())
    if (name != "client_id") fields.emplace_back(name, value);
  const auto pushed = post("/oauth2/par", fields);
  ASSERT_EQ(pushed.status, 201) << pushed.body;
  const std::string url =
      "/oauth2/authorize?" +
      encoded({{"client_id", "server"}, {"request_uri", oidc::text(object(pushed), "request_uri")}});
  const auto page = get(url);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body.find("request_uri"), std::string::npos);  // no link: in a minute it would lead nowhere
  EXPECT_EQ(get(url).status, 200);
  const auto asked = sign_in(page);
  ASSERT_EQ(submit("/oauth2/consent", asked, {{"decision", "approve"}}).status, 303);
  EXPECT_EQ(get(url).status, 400);
}

TEST_F(ClientRoutes, TheMetadataIsOneDocumentAndEveryEndpointInItAnswers) {
  const auto document = get("/.well-known/openid-configuration");
  ASSERT_EQ(document.status, 200);
  EXPECT_EQ(document.header("access-control-allow-origin"), "*");
  EXPECT_EQ(document.body, get("/.well-known/oauth-authorization-server").body);
  const auto metadata = object(document);
  EXPECT_EQ(oidc::text(metadata, "issuer"), oidc::kIssuer);
  int endpoints = 0;
  for (const auto& [name, value] : metadata) {
    if (!name.ends_with("_endpoint") && name != "jwks_uri") continue;
    const std::string path(value.as_string().subview(oidc::kIssuer.size()));
    EXPECT_NE(get(path).status, 404) << path;
    ++endpoints;
  }
  EXPECT_GE(endpoints, 9);
}

TEST_F(ClientRoutes, TheKeysAreCachedByTheirTag) {
  const auto keys = get("/oauth2/jwks");
  ASSERT_EQ(keys.status, 200);
  EXPECT_NE(keys.body.find("\"kty\""), std::string::npos);
  EXPECT_EQ(keys.body.find("\"d\""), std::string::npos);
  EXPECT_EQ(send("GET", "/oauth2/jwks", "If-None-Match: " + keys.header("etag") + "\r\n").status, 304);
}

TEST_F(ClientRoutes, RegistrationIsClosedUnlessItWasOpened) {
  const auto answer = send("POST", "/oauth2/register", "Content-Type: application/json\r\n", "{}");
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(send("GET", "/oauth2/register/app", "Authorization: Bearer x\r\n").status, 403);
}

TEST_F(ClientRoutes, BrowsersOfOtherOriginsMayAskForTokensAndNothingOfTheUsersPages) {
  const std::string preflight = "Origin: https://spa.example\r\nAccess-Control-Request-Method: POST\r\n";
  EXPECT_EQ(send("OPTIONS", "/oauth2/token", preflight).header("access-control-allow-origin"), "*");
  for (const char* path : {"/oauth2/login", "/oauth2/consent", "/account/sessions", "/oauth2/introspect"})
    EXPECT_TRUE(send("OPTIONS", path, preflight).header("access-control-allow-origin").empty()) << path;
}

TEST_F(ClientRoutes, HealthIsForAllAndNumbersAreNot) {
  EXPECT_EQ(get("/healthz").status, 200);
  EXPECT_EQ(get("/readyz").status, 200);
  services_->ready = [] { return false; };
  EXPECT_EQ(get("/readyz").status, 503);
  EXPECT_EQ(get("/metrics").status, 404);  // the stream's peer is 192.0.2.7
  services_->metrics_networks = {"192.0.2.0/24"};
  add_health_routes(exchange_->router, *services_);
  const auto numbers = get("/metrics");
  EXPECT_EQ(numbers.status, 200);
  EXPECT_NE(numbers.body.find("# TYPE "), std::string::npos);
}

TEST_F(ClientRoutes, WhatIsNotThereIsAPageWithTheHeadersOfAll) {
  const auto answer = get("/nowhere");
  EXPECT_EQ(answer.status, 404);
  EXPECT_NE(answer.body.find("<html"), std::string::npos);
  EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
  EXPECT_FALSE(answer.header("content-security-policy").empty());
}

}  // namespace
}  // namespace muhur::web

#include "oidc/client_templates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muhur::oidc {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(ClientTemplates, EachMakesAClientThatStandsTheChecksAndTellsHowToSetItUp) {
  for (const auto& known : client_templates()) {
    const auto client = client_from_template(known.name, "app", "https://app.example/path/");
    ASSERT_TRUE(client) << client.error().text();
    EXPECT_TRUE(check_client(*client));
    EXPECT_EQ(client->name, known.title);
    EXPECT_FALSE(client->skip_consent);
    for (const auto& uri : client->redirect_uris)
      EXPECT_THAT(uri, testing::StartsWith("https://app.example/path/"));
    const auto text =
        instructions(known.name, *client, "https://app.example/path/", "https://id.example", "S3CRET");
    for (const auto* part : {"app", "S3CRET", "https://id.example", "openid"})
      EXPECT_THAT(text, HasSubstr(part));
    if (client->require_pkce && known.name != "nextcloud")
      EXPECT_THAT(text, testing::ContainsRegex("pkce|S256"));
  }
}

// Roundcube 1.6: no PKCE, the secret in the body, mail by XOAUTH2.
TEST(ClientTemplates, RoundcubeGetsWhatItCanDo) {
  const auto client = client_from_template("roundcube", "webmail", "https://webmail.example");
  ASSERT_TRUE(client);
  EXPECT_EQ(client->auth, ClientAuth::post);
  EXPECT_FALSE(client->require_pkce);
  EXPECT_THAT(client->scopes, Contains("mail"));
  EXPECT_THAT(client->redirect_uris, Contains("https://webmail.example/index.php/login/oauth"));
}

TEST(ClientTemplates, Fapi2AsksForAllThatTheProfileDoes) {
  const auto client = client_from_template("fapi2", "bank", "https://bank.example");
  ASSERT_TRUE(client);
  EXPECT_TRUE(client->require_par && client->require_dpop && client->require_dpop_nonce &&
              client->require_pkce);
}

TEST(ClientTemplates, OnlyRoundcubeMayDoWithoutPkceAndReadMail) {
  for (const auto* name : {"grafana", "nextcloud", "oauth2-proxy"}) {
    const auto client = client_from_template(name, "app", "http://localhost:3000");
    ASSERT_TRUE(client) << name;
    EXPECT_TRUE(client->require_pkce) << name;
    EXPECT_THAT(client->scopes, testing::Not(Contains("mail"))) << name;
  }
}

TEST(ClientTemplates, WhatIsUnknownIsRefusedWithTheNamesThereAre) {
  const auto unknown = client_from_template("keycloak", "x", "https://a.example");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().remedy, HasSubstr("oauth2-proxy"));
  for (const auto* url : {"", "a.example", "http://a.example", "https://a.example/?x", "javascript:x"})
    EXPECT_FALSE(client_from_template("grafana", "x", url)) << url;
}

}  // namespace
}  // namespace muhur::oidc

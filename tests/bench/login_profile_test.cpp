// Profiles of servers: what may stand in them, and that those we give are right.
#include <gtest/gtest.h>

#include <filesystem>

#include "bench/login_profile.hpp"

namespace muhur::bench {
namespace {

const std::filesystem::path kProfiles = std::filesystem::path(MUHUR_SOURCE_DIR) / "bench/login/profiles";

TEST(LoginProfile, OurOwnSaysWhatHoldsWithoutAProfile) {
  const auto read = LoginProfile::read(kProfiles / "muhur.json");
  ASSERT_TRUE(read) << read.error().text();
  const LoginProfile p, &q = *read;
  EXPECT_EQ(p.name, q.name);
  EXPECT_EQ(p.authorization, q.authorization);
  EXPECT_EQ(p.token, q.token);
  EXPECT_EQ(p.introspection, q.introspection);
  EXPECT_EQ(p.introspect_by_bearer, q.introspect_by_bearer);
  EXPECT_EQ(p.client_id, q.client_id);
  EXPECT_EQ(p.client_auth, q.client_auth);
  EXPECT_EQ(p.redirect_uri, q.redirect_uri);
  EXPECT_EQ(p.scope, q.scope);
  EXPECT_EQ(p.parameters, q.parameters);
  EXPECT_EQ(p.sign_in_action, q.sign_in_action);
  EXPECT_EQ(p.user_field, q.user_field);
  EXPECT_EQ(p.password_field, q.password_field);
  EXPECT_EQ(p.sign_in_fields, q.sign_in_fields);
  EXPECT_EQ(p.consent_action, q.consent_action);
  EXPECT_EQ(p.account, q.account);
  EXPECT_EQ(p.password, q.password);
}

TEST(LoginProfile, EveryOneThatWeGiveIsRead) {
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(kProfiles)) {
    const auto read = LoginProfile::read(file.path());
    EXPECT_TRUE(read) << read.error().text();
    ++count;
  }
  EXPECT_GE(count, 2U);
}

TEST(LoginProfile, EveryKeyIsTaken) {
  const auto read = LoginProfile::parse(R"({"name": "n", "authorization": "/a", "token": "/t",
    "introspection": "/i", "introspect_as": "client", "client": {"id": "c", "secret": "s", "auth": "basic"},
    "redirect_uri": "https://rp/cb", "scope": "openid", "parameters": {"prompt": "consent"},
    "sign_in": {"action": "/in", "user": "u", "password": "p", "fields": {"f": "1"}},
    "consent": {"action": "/ok", "fields": {"yes": ""}}, "account": "uNN", "password": "pNN"})");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_FALSE(read->introspect_by_bearer);
  EXPECT_EQ(read->client_auth, LoginProfile::ClientAuth::basic);
  EXPECT_EQ(read->client_secret, "s");
  EXPECT_EQ(read->parameters, (FormFields{{"prompt", "consent"}}));
  EXPECT_EQ(read->sign_in_fields, (FormFields{{"f", "1"}}));
  EXPECT_EQ(read->consent_action, "/ok");
  EXPECT_EQ(read->consent_fields, (FormFields{{"yes", ""}}));
}

TEST(LoginProfile, WhatItDoesNotKnowIsRefusedByName) {
  const auto refused = [](std::string_view text) {
    const auto read = LoginProfile::parse(text);
    return read ? std::string() : read.error().what;
  };
  EXPECT_NE(refused("{").find("no JSON"), std::string::npos);
  EXPECT_NE(refused("[]").find("no object"), std::string::npos);
  EXPECT_NE(refused(R"({"tokn": "/t"})").find("\"tokn\""), std::string::npos);
  EXPECT_NE(refused(R"({"sign_in": {"csrf": "x"}})").find("\"csrf\""), std::string::npos);
  EXPECT_NE(refused(R"({"token": 1})").find("\"token\""), std::string::npos);
  EXPECT_NE(refused(R"({"client": {"auth": "mtls"}})").find("\"auth\""), std::string::npos);
}

TEST(LoginProfile, NumbersStandWhereTheNsAre) {
  EXPECT_EQ(numbered("benchNNNN@example.org", 7), "bench0007@example.org");
  EXPECT_EQ(numbered("benchNNNN@example.org", 12'345), "bench12345@example.org");
  EXPECT_EQ(numbered("Nobody", 7), "Nobody");
}

}  // namespace
}  // namespace muhur::bench

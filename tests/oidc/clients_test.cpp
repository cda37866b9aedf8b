#include "oidc/clients.hpp"

#include <boost/json/serialize.hpp>
#include <fstream>

#include "oidc/client_document.hpp"
#include "oidc/fixture.hpp"
#include "oidc/json.hpp"

namespace muhur::oidc {
namespace {

using testing::HasSubstr;
using ClientsTest = WithClients;

constexpr std::string_view kJwks =
    R"({"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})";

// Every member away from its built-in value.
Client odd_client() {
  Client c;
  c.id = "odd";
  c.name = "Ödd Ÿ";
  c.auth = ClientAuth::private_key_jwt;
  c.redirect_uris = {"https://a.example/cb?x=1", "http://127.0.0.1/cb"};
  c.post_logout_redirect_uris = {"https://a.example/bye"};
  c.backchannel_logout_uri = "https://a.example/out";
  c.backchannel_session_required = false;
  c.grant_types = {"authorization_code", "client_credentials"};
  c.scopes = {"openid", "mail"};
  c.resources = {"https://api.example"};
  c.require_pkce = false;
  c.require_par = c.require_dpop = c.require_dpop_nonce = c.skip_consent = c.may_introspect = c.dynamic = true;
  c.access_token = AccessTokenFormat::jwt;
  c.id_token_algorithm = crypto::SigningAlgorithm::rs256;
  c.userinfo_signed_response = "EdDSA";
  c.jwks = kJwks;
  c.groups = {"staff"};
  c.logo_uri = "https://a.example/logo.png";
  c.policy_uri = "https://a.example/policy";
  c.tos_uri = "https://a.example/tos";
  c.client_uri = "https://a.example/";
  c.access_token_s = 31;
  c.refresh_token_s = 61;
  c.created_ms = 5;
  return c;
}

TEST_F(ClientsTest, EveryMemberComesBackAfterARestart) {
  add(odd_client());
  const auto before = boost::json::serialize(document_of(*clients_->find("odd")));
  open_clients();
  ASSERT_TRUE(clients_->find("odd"));
  EXPECT_EQ(boost::json::serialize(document_of(*clients_->find("odd"))), before);
  Client expected = odd_client();
  expected.created_ms = clock_.now_ms();
  EXPECT_EQ(before, boost::json::serialize(document_of(expected)));
}

TEST_F(ClientsTest, ASecretIsShownOnceAndStoredAsAHash) {
  const auto secret = add(a_client("app"));
  EXPECT_GE(secret.size(), 43U);
  const auto client = clients_->find("app");
  EXPECT_TRUE(clients_->secret_matches(*client, secret));
  for (const std::string& wrong : {std::string(), secret + "x", secret.substr(1), std::string("app")})
    EXPECT_FALSE(clients_->secret_matches(*client, wrong));
  open_clients();
  EXPECT_TRUE(clients_->secret_matches(*clients_->find("app"), secret));
  const auto found = directory_->database().read([&](vault::Connection& c) -> Result<std::int64_t> {
    MUHUR_TRY(auto st,
              c.prepare("SELECT count(*) FROM oidc_clients WHERE instr(document, ?1) OR secret_hash = ?1"));
    MUHUR_TRY(const bool row, st.bind(secret).step());
    return row ? st.int64(0) : -1;
  });
  EXPECT_EQ(found, 0);
}

TEST_F(ClientsTest, ClientsWithoutASecretMatchNone) {
  EXPECT_EQ(add(a_client("public", ClientAuth::none)), "");
  EXPECT_EQ(add(odd_client()), "");
  for (const auto* id : {"public", "odd"}) {
    EXPECT_FALSE(clients_->secret_matches(*clients_->find(id), ""));
    EXPECT_FALSE(clients_->secret_matches(*clients_->find(id), std::string(32, '\0')));
    EXPECT_EQ(clients_->rotate_secret(id).error().code, Code::invalid);
  }
}

TEST_F(ClientsTest, ARotatedSecretEndsTheOldOne) {
  const auto first = add(a_client("app"));
  const auto second = clients_->rotate_secret("app");
  ASSERT_TRUE(second);
  const auto client = clients_->find("app");
  EXPECT_FALSE(clients_->secret_matches(*client, first));
  EXPECT_TRUE(clients_->secret_matches(*client, *second));
  open_clients();
  EXPECT_FALSE(clients_->secret_matches(*clients_->find("app"), first));
  EXPECT_TRUE(clients_->secret_matches(*clients_->find("app"), *second));
  EXPECT_EQ(clients_->rotate_secret("nobody").error().code, Code::not_found);
}

TEST_F(ClientsTest, ChangesAreSeenAtOnceAndKeepTheSecret) {
  const auto secret = add(a_client("app"));
  Client changed = *clients_->find("app");
  changed.name = "New name";
  changed.scopes = {"openid"};
  ASSERT_TRUE(clients_->update(changed));
  EXPECT_EQ(clients_->find("app")->name, "New name");
  EXPECT_TRUE(clients_->secret_matches(*clients_->find("app"), secret));
  changed.auth = ClientAuth::none;
  ASSERT_TRUE(clients_->update(changed));
  EXPECT_FALSE(clients_->secret_matches(*clients_->find("app"), secret));
  open_clients();
  EXPECT_EQ(clients_->find("app")->auth, ClientAuth::none);
  EXPECT_FALSE(clients_->secret_matches(*clients_->find("app"), secret));
  EXPECT_EQ(clients_->update(a_client("other")).error().code, Code::not_found);
}

TEST_F(ClientsTest, ARemovedClientIsGoneForGood) {
  add(a_client("app"));
  add(a_client("other"));
  ASSERT_TRUE(clients_->remove("app"));
  EXPECT_FALSE(clients_->find("app"));
  EXPECT_EQ(clients_->remove("app").error().code, Code::not_found);
  open_clients();
  ASSERT_EQ(clients_->list().size(), 1U);
  EXPECT_EQ(clients_->list()[0]->id, "other");
}

TEST_F(ClientsTest, AnIdIsTakenOnce) {
  const auto secret = add(a_client("app"));
  EXPECT_EQ(clients_->add(a_client("app")).error().code, Code::exists);
  EXPECT_TRUE(clients_->secret_matches(*clients_->find("app"), secret));
}

TEST_F(ClientsTest, WhatFailsBesideLeavesNoClient) {
  const auto added =
      clients_->add(a_client("app"), [](vault::Connection&) { return fail(Code::denied, "no"); });
  EXPECT_EQ(added.error().code, Code::denied);
  EXPECT_FALSE(clients_->find("app"));
  open_clients();
  EXPECT_FALSE(clients_->find("app"));
}

TEST_F(ClientsTest, BadMembersAreRefusedByName) {
  const auto refused = [&](std::string_view member, auto change) {
    Client client = a_client("app");
    change(client);
    const auto added = clients_->add(client);
    ASSERT_FALSE(added) << member;
    EXPECT_EQ(added.error().code, Code::invalid) << member;
    EXPECT_THAT(added.error().what, HasSubstr(std::string(member)));
  };
  refused("id", [](Client& c) { c.id = ""; });
  refused("id", [](Client& c) { c.id = "a b"; });
  refused("id", [](Client& c) { c.id = "a:b"; });
  refused("id", [](Client& c) { c.id = std::string(129, 'a'); });
  refused("name", [](Client& c) { c.name = "a\nb"; });
  refused("name", [](Client& c) { c.name = "\xff"; });
  refused("redirect_uris", [](Client& c) { c.redirect_uris = {}; });
  refused("redirect_uris", [](Client& c) { c.redirect_uris = {"https://*.example/cb"}; });
  refused("post_logout_redirect_uris",
          [](Client& c) { c.post_logout_redirect_uris = {"javascript:alert(1)"}; });
  refused("logo_uri", [](Client& c) { c.logo_uri = "javascript:alert(1)"; });
  refused("client_uri", [](Client& c) { c.client_uri = "http://app.example/"; });
  refused("backchannel_logout_uri", [](Client& c) { c.backchannel_logout_uri = "ftp://a.example/"; });
  refused("grant_types", [](Client& c) { c.grant_types = {"password"}; });
  refused("grant_types", [](Client& c) { c.grant_types = {"implicit"}; });
  refused("grant_types", [](Client& c) { c.grant_types = {"refresh_token"}; });
  refused("scopes", [](Client& c) { c.scopes = {"a b"}; });
  refused("resources", [](Client& c) { c.resources = {"api"}; });
  refused("require_pkce", [](Client& c) {
    c.auth = ClientAuth::none;
    c.require_pkce = false;
  });
  refused("may_introspect", [](Client& c) {
    c.auth = ClientAuth::none;
    c.may_introspect = true;
  });
  refused("grant_types", [](Client& c) {
    c.auth = ClientAuth::none;
    c.grant_types = {"client_credentials"};
  });
  refused("jwks", [](Client& c) { c.auth = ClientAuth::private_key_jwt; });
  refused("jwks", [](Client& c) { c.jwks = R"({"keys":[]})"; });
  refused("id_token_algorithm", [](Client& c) { c.id_token_algorithm = crypto::SigningAlgorithm::ps256; });
  refused("userinfo_signed_response", [](Client& c) { c.userinfo_signed_response = "none"; });
  refused("subject_type", [](Client& c) { c.subject_type = "pairwise"; });
  refused("access_token_s", [](Client& c) { c.access_token_s = 0; });
  refused("refresh_token_s", [](Client& c) { c.refresh_token_s = 500 * 86'400; });
}

TEST_F(ClientsTest, AStoredClientThatCannotBeReadStopsTheStart) {
  add(a_client("app"));
  ASSERT_TRUE(directory_->database().write([](vault::Connection& c) {
    return c.exec("UPDATE oidc_clients SET document = replace(document, 'require_pkce', 'require_pkcf')");
  }));
  const auto opened = Clients::open(*directory_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::corrupt);
  EXPECT_THAT(opened.error().what, HasSubstr("app"));
}

TEST(ClientDocument, UnknownMembersAndWrongKindsAreRefusedByName) {
  for (const auto* text :
       {R"({"id":7})", R"({"require_pkce":"no"})", R"({"scopes":"openid"})", R"({"scopes":[1]})",
        R"({"auth":"magic"})", R"({"access_token_s":"600"})", R"({"nonsense":1})"}) {
    const auto client = client_of(*parse_object(text));
    ASSERT_FALSE(client) << text;
    EXPECT_EQ(client.error().code, Code::invalid);
  }
  const auto client = client_of(*parse_object(R"({"auth":"client_secret_post","require_pkce":false})"));
  ASSERT_TRUE(client);
  EXPECT_EQ(client->auth, ClientAuth::post);
  EXPECT_FALSE(client->require_pkce);
  EXPECT_TRUE(client->backchannel_session_required);
}

}  // namespace
}  // namespace muhur::oidc

#include "oidc/registration.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <thread>

#include "oidc/fixture.hpp"
#include "oidc/json.hpp"

namespace muhur::oidc {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

json::object minimal() { return *parse_object(R"({"redirect_uris":["https://app.example/cb"]})"); }
json::object with(std::string_view name, json::value value) {
  auto metadata = minimal();
  metadata[name] = std::move(value);
  return metadata;
}
std::string text(const json::object& o, std::string_view name) {
  return std::string(text_of(o, name).value_or(""));
}

class RegistrationTest : public WithClients {
 protected:
  void SetUp() override {
    WithClients::SetUp();
    registration_.emplace(*directory_, *clients_, "https://id.example");
  }
  std::string initial(std::int64_t uses = 10) {
    return Registration::make_initial_token(*directory_, 3'600, uses).value_or("");
  }
  json::object registered(const json::object& metadata = minimal()) {
    auto answer = registration_->add(initial(), metadata);
    EXPECT_TRUE(answer) << answer.error().description;
    return answer.value_or(json::object{});
  }
  std::optional<Registration> registration_;
};

TEST_F(RegistrationTest, AClientRegistersReadsChangesAndRemovesItself) {
  const auto made = registered(with("client_name", "My app"));
  const auto id = text(made, "client_id");
  const auto token = text(made, "registration_access_token");
  EXPECT_EQ(text(made, "registration_client_uri"), "https://id.example/oauth2/register/" + id);
  EXPECT_EQ(made.at("client_secret_expires_at").as_int64(), 0);
  ASSERT_TRUE(clients_->find(id));
  EXPECT_TRUE(clients_->find(id)->dynamic);
  EXPECT_TRUE(clients_->secret_matches(*clients_->find(id), text(made, "client_secret")));

  const auto read = registration_->read(token, id);
  ASSERT_TRUE(read);
  EXPECT_EQ(text(*read, "client_name"), "My app");
  EXPECT_FALSE(read->contains("client_secret"));

  auto metadata = with("client_name", "Renamed");
  metadata["client_id"] = id;
  metadata["client_secret"] = text(made, "client_secret");
  ASSERT_TRUE(registration_->update(token, id, metadata));
  EXPECT_EQ(clients_->find(id)->name, "Renamed");
  EXPECT_TRUE(clients_->secret_matches(*clients_->find(id), text(made, "client_secret")));

  ASSERT_TRUE(registration_->remove(token, id));
  EXPECT_FALSE(clients_->find(id));
  EXPECT_EQ(registration_->read(token, id).error().code, "invalid_token");
}

TEST_F(RegistrationTest, NobodyRegistersWithoutAnInitialToken) {
  for (const std::string& bearer : {std::string(), std::string("guess"), initial() + "x"}) {
    const auto refused = registration_->add(bearer, minimal());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "invalid_token");
    EXPECT_EQ(refused.error().status, 401);
    EXPECT_THAT(refused.error().www_authenticate, HasSubstr("Bearer"));
  }
  EXPECT_TRUE(clients_->list().empty());
}

TEST_F(RegistrationTest, AnInitialTokenServesSoManyClientsAndSoLong) {
  const auto token = initial(2);
  ASSERT_TRUE(registration_->add(token, minimal()));
  // A refused request uses nothing up.
  ASSERT_FALSE(registration_->add(token, with("response_types", json::array({"token"}))));
  ASSERT_TRUE(registration_->add(token, minimal()));
  EXPECT_FALSE(registration_->add(token, minimal()));
  EXPECT_EQ(clients_->list().size(), 2U);
  const auto short_lived = initial();
  clock_.advance(std::chrono::seconds(3'600));
  EXPECT_FALSE(registration_->add(short_lived, minimal()));
  ASSERT_TRUE(registration_->sweep());
  EXPECT_EQ(directory_->database().read(
                [](vault::Connection& c) { return c.query_int("SELECT count(*) FROM oidc_initial_tokens"); }),
            0);
}

// Bug class 39: of N parallel uses of a single-use token one succeeds.
TEST_F(RegistrationTest, Bug39ASingleUseTokenServesOneOfTwenty) {
  const auto token = initial(1);
  std::atomic<int> made = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 20; ++i)
      threads.emplace_back([&] { made += registration_->add(token, minimal()) ? 1 : 0; });
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(clients_->list().size(), 1U);
}

TEST_F(RegistrationTest, OneClientsTokenOpensNoOther) {
  const auto one = registered();
  const auto two = registered();
  const auto id = text(two, "client_id");
  const auto token = text(one, "registration_access_token");
  EXPECT_EQ(registration_->read(token, id).error().code, "invalid_token");
  EXPECT_EQ(registration_->remove(token, id).error().code, "invalid_token");
  auto metadata = minimal();
  metadata["client_id"] = id;
  EXPECT_EQ(registration_->update(token, id, metadata).error().code, "invalid_token");
  add(a_client("by-admin"));
  EXPECT_EQ(registration_->read("", "by-admin").error().code, "invalid_token");
  EXPECT_EQ(registration_->read(token, "by-admin").error().code, "invalid_token");
  EXPECT_EQ(registration_->read(token, "nobody").error().code, "invalid_token");
}

TEST_F(RegistrationTest, AChangeCannotTakeWhatOnlyAnAdministratorGives) {
  const auto made = registered();
  const auto id = text(made, "client_id");
  const auto token = text(made, "registration_access_token");
  Client restricted = *clients_->find(id);
  restricted.groups = {"staff"};
  restricted.access_token_s = 60;
  ASSERT_TRUE(clients_->update(restricted));
  auto metadata = minimal();
  metadata["client_id"] = id;
  ASSERT_TRUE(registration_->update(token, id, metadata));
  EXPECT_EQ(clients_->find(id)->groups, std::vector<std::string>{"staff"});
  EXPECT_EQ(clients_->find(id)->access_token_s, 60);
  const auto refused = [&](std::string_view name, json::value value) {
    auto changed = metadata;
    changed[name] = std::move(value);
    return registration_->update(token, id, changed).error().code;
  };
  EXPECT_EQ(refused("client_id", "other"), "invalid_client_metadata");
  EXPECT_EQ(refused("client_secret", "guess"), "invalid_client_metadata");
  EXPECT_EQ(refused("registration_access_token", "x"), "invalid_client_metadata");
  EXPECT_EQ(refused("scope", "openid mail"), "invalid_client_metadata");
}

TEST_F(RegistrationTest, APublicClientThatTurnsConfidentialGetsASecret) {
  const auto made = registered(with("token_endpoint_auth_method", "none"));
  EXPECT_FALSE(made.contains("client_secret"));
  auto metadata = minimal();
  metadata["client_id"] = text(made, "client_id");
  const auto changed =
      registration_->update(text(made, "registration_access_token"), text(made, "client_id"), metadata);
  ASSERT_TRUE(changed);
  EXPECT_TRUE(
      clients_->secret_matches(*clients_->find(text(made, "client_id")), text(*changed, "client_secret")));
}

TEST(ClientMetadata, BuiltInValuesAreThoseOfTheRfc) {
  const auto client = client_from_metadata(minimal(), "x");
  ASSERT_TRUE(client);
  EXPECT_EQ(client->auth, ClientAuth::basic);
  EXPECT_EQ(client->grant_types, std::vector<std::string>{"authorization_code"});
  EXPECT_EQ(client->name, "x");
  EXPECT_TRUE(client->require_pkce);
  EXPECT_FALSE(client->skip_consent);
  EXPECT_FALSE(client->may_introspect);
}

// registration-jwks-uri, -sector-uri, -sector-bad, -regfrag, -logo, -policy, -tos of the conformance suite.
TEST(ClientMetadata, RefusesWhatIsNotDoneOrNotSafe) {
  const auto code = [](const json::object& metadata) {
    const auto client = client_from_metadata(metadata, "x");
    return client ? "ok" : client.error().code;
  };
  for (const auto* name : {"jwks_uri", "sector_identifier_uri", "software_statement", "request_uris"})
    EXPECT_EQ(code(with(name, "https://app.example/x")), "invalid_client_metadata") << name;
  EXPECT_EQ(code(with("response_types", json::array({"code", "token"}))), "invalid_client_metadata");
  EXPECT_EQ(code(with("grant_types", json::array({"password"}))), "invalid_client_metadata");
  EXPECT_EQ(code(with("subject_type", "pairwise")), "invalid_client_metadata");
  EXPECT_EQ(code(with("scope", "openid mail")), "invalid_client_metadata");
  EXPECT_EQ(code(with("id_token_signed_response_alg", "none")), "invalid_client_metadata");
  EXPECT_EQ(code(with("id_token_signed_response_alg", "HS256")), "invalid_client_metadata");
  EXPECT_EQ(code(with("token_endpoint_auth_method", "client_secret_jwt")), "invalid_client_metadata");
  EXPECT_EQ(code(with("token_endpoint_auth_method", "private_key_jwt")), "invalid_client_metadata");
  EXPECT_EQ(code(with("logo_uri", "javascript:alert(1)")), "invalid_client_metadata");
  EXPECT_EQ(code(with("policy_uri", "http://app.example/")), "invalid_client_metadata");
  EXPECT_EQ(code(with("backchannel_logout_uri", "http://127.0.0.1:25/")), "invalid_client_metadata");
  EXPECT_EQ(code(with("client_name", 7)), "invalid_client_metadata");
  EXPECT_EQ(code(with("redirect_uris", "https://app.example/cb")), "invalid_client_metadata");
  EXPECT_EQ(code(with("redirect_uris", json::array({"https://app.example/cb#x"}))), "invalid_redirect_uri");
  EXPECT_EQ(code(with("redirect_uris", json::array({"http://app.example/cb"}))), "invalid_redirect_uri");
  EXPECT_EQ(code(with("redirect_uris", json::array())), "invalid_redirect_uri");
  EXPECT_EQ(code(with("require_pkce", false)), "ok");  // none of ours, passed over
  EXPECT_TRUE(client_from_metadata(with("require_pkce", false), "x")->require_pkce);
  EXPECT_EQ(code(with("skip_consent", true)), "ok");
  EXPECT_FALSE(client_from_metadata(with("skip_consent", true), "x")->skip_consent);
}

TEST(ClientMetadata, ADescriptionIsAsciiWhateverTheClientSent) {
  const auto client = client_from_metadata(with("scope", "\"<b>\xc3\xa9\r\n"), "x");
  ASSERT_FALSE(client);
  for (const char c : client.error().description) EXPECT_TRUE(c >= ' ' && c <= '~' && c != '"');
}

TEST(ClientMetadata, GoesToAPolicyAndBack) {
  const auto metadata = *parse_object(R"({
      "client_name":"App","redirect_uris":["https://app.example/cb"],
      "post_logout_redirect_uris":["https://app.example/bye"],
      "token_endpoint_auth_method":"private_key_jwt","grant_types":["authorization_code","refresh_token"],
      "scope":"openid email","id_token_signed_response_alg":"RS256","userinfo_signed_response_alg":"ES256",
      "jwks":{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]},
      "backchannel_logout_uri":"https://app.example/out","backchannel_logout_session_required":true,
      "logo_uri":"https://app.example/logo","dpop_bound_access_tokens":true,
      "require_pushed_authorization_requests":true})");
  const auto client = client_from_metadata(metadata, "x");
  ASSERT_TRUE(client) << client.error().description;
  const auto back = metadata_of(*client);
  for (const auto& member : metadata) EXPECT_EQ(back.at(member.key()), member.value()) << member.key();
  EXPECT_EQ(back.at("response_types"), json::array({"code"}));
  EXPECT_EQ(back.at("client_id").as_string(), "x");
}

}  // namespace
}  // namespace muhur::oidc

#include "oidc/client_auth.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/encoding.hpp"
#include "crypto/mac.hpp"
#include "oidc/fixture.hpp"
#include "oidc/jose.hpp"

namespace muhur::oidc {
namespace {

namespace json = boost::json;

constexpr std::int64_t kNow = 1'700'000'000;
const std::vector<std::string> kAudiences{"https://id.example", "https://id.example/oauth2/token"};

class ClientAuthTest : public WithClients {
 protected:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  std::expected<AuthenticatedClient, OAuthError> authenticate(const Fields& fields,
                                                              std::string authorization = {}) {
    http::Form form;
    for (const auto& [name, value] : fields) form.add(name, value);
    return authenticate_client(*clients_, {std::move(authorization), &form}, kAudiences, kNow);
  }
  std::string outcome(const Fields& fields, std::string authorization = {}) {
    const auto got = authenticate(fields, std::move(authorization));
    return got ? got->client->id : got.error().code;
  }
  static std::string basic(const std::string& id, const std::string& secret) {
    return "Basic " + to_base64(as_bytes(id + ":" + secret));
  }

  void add_jwt_client(const std::string& id, const crypto::SigningKey& key) {
    Client client = a_client(id, ClientAuth::private_key_jwt);
    client.jwks = R"({"keys":[)" + key.public_key().jwk() + "]}";
    add(client);
  }
  static json::object claims(const std::string& id) {
    return {{"iss", id},  {"sub", id},        {"aud", "https://id.example"},
            {"jti", "1"}, {"exp", kNow + 60}, {"iat", kNow}};
  }
  static Fields assertion(const std::string& token) {
    return {{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
            {"client_assertion", token}};
  }
  static Fields signed_by(const crypto::SigningKey& key, const json::object& payload) {
    return assertion(sign_jwt(payload, "JWT", "", key));
  }
};

TEST_F(ClientAuthTest, EachMethodServesTheClientThatIsRegisteredForIt) {
  const auto basic_secret = add(a_client("b"));
  const auto post_secret = add(a_client("p", ClientAuth::post));
  add(a_client("n", ClientAuth::none));
  EXPECT_EQ(outcome({}, basic("b", basic_secret)), "b");
  EXPECT_EQ(outcome({{"client_id", "b"}}, basic("b", basic_secret)), "b");
  EXPECT_EQ(outcome({}, "bASIC " + basic("b", basic_secret).substr(6)), "b");
  EXPECT_EQ(outcome({{"client_id", "p"}, {"client_secret", post_secret}}), "p");
  EXPECT_EQ(outcome({{"client_id", "n"}}), "n");
  EXPECT_EQ(outcome({{"client_id", "n"}, {"client_secret", ""}}), "n");  // an empty value is as none
}

TEST_F(ClientAuthTest, NoClientMayUseAnothersMethod) {
  const auto basic_secret = add(a_client("b"));
  const auto post_secret = add(a_client("p", ClientAuth::post));
  add(a_client("n", ClientAuth::none));
  add_jwt_client("j", *crypto::SigningKey::generate(crypto::SigningAlgorithm::es256));
  EXPECT_EQ(outcome({{"client_id", "b"}, {"client_secret", basic_secret}}), "invalid_client");
  EXPECT_EQ(outcome({}, basic("p", post_secret)), "invalid_client");
  EXPECT_EQ(outcome({}, basic("n", "")), "invalid_client");
  EXPECT_EQ(outcome({{"client_id", "n"}, {"client_secret", "x"}}), "invalid_client");
  // Bug class 17: a private_key_jwt client using a secret, or nothing.
  EXPECT_EQ(outcome({{"client_id", "j"}, {"client_secret", "x"}}), "invalid_client");
  EXPECT_EQ(outcome({}, basic("j", "")), "invalid_client");
  EXPECT_EQ(outcome({{"client_id", "j"}}), "invalid_client");
}

// Bug class 38: a confidential client without authentication, also when client_id is left out.
TEST_F(ClientAuthTest, Bug38AConfidentialClientAlwaysProvesItself) {
  add(a_client("b"));
  add(a_client("p", ClientAuth::post));
  EXPECT_EQ(outcome({{"client_id", "b"}}), "invalid_client");
  EXPECT_EQ(outcome({{"client_id", "p"}}), "invalid_client");
  EXPECT_EQ(outcome({}), "invalid_client");
  EXPECT_EQ(outcome({{"client_id", ""}}), "invalid_client");
  EXPECT_EQ(outcome({{"client_id", "p"}, {"client_secret", ""}}), "invalid_client");
  EXPECT_EQ(outcome({}, basic("b", "")), "invalid_client");
}

TEST_F(ClientAuthTest, ARefusalNeverTellsWhichClientsThereAre) {
  add(a_client("b"));
  const auto wrong = authenticate({}, basic("b", "x"));
  const auto unknown = authenticate({}, basic("nobody", "x"));
  for (const auto* refusal : {&wrong, &unknown}) {
    ASSERT_FALSE(*refusal);
    EXPECT_EQ(refusal->error().code, "invalid_client");
    EXPECT_EQ(refusal->error().status, 401);
    EXPECT_THAT(refusal->error().www_authenticate, testing::StartsWith("Basic "));
  }
  EXPECT_EQ(wrong.error().description, unknown.error().description);
  const auto posted = authenticate({{"client_id", "b"}, {"client_secret", "x"}});
  EXPECT_EQ(posted.error().status, 401);
  EXPECT_EQ(posted.error().www_authenticate, "");
}

TEST_F(ClientAuthTest, OneMethodARequest) {
  const auto secret = add(a_client("b"));
  EXPECT_EQ(outcome({{"client_id", "b"}, {"client_secret", secret}}, basic("b", secret)), "invalid_request");
  Fields two = assertion("x.y.z");
  two.emplace_back("client_secret", secret);
  EXPECT_EQ(outcome(two), "invalid_request");
  EXPECT_EQ(outcome(assertion("x.y.z"), basic("b", secret)), "invalid_request");
  EXPECT_EQ(outcome({{"client_id", "b"}, {"client_id", "b"}}, basic("b", secret)), "invalid_request");
  EXPECT_EQ(outcome({{"client_id", "other"}}, basic("b", secret)), "invalid_request");
}

TEST_F(ClientAuthTest, BasicCredentialsAreFormEncodedPairs) {
  const auto secret = add(a_client("a.b~c"));
  EXPECT_EQ(outcome({}, basic("a.b%7Ec", secret)), "a.b~c");
  for (const std::string& header :
       {std::string("Basic"), std::string("Basic "), std::string("Basic ***"),
        "Basic " + to_base64(as_bytes("nocolon")), basic("a.b%zz", secret), "Bearer " + secret,
        basic("a.b~c", secret) + " ", basic("a.b~c", secret + "%00")})
    EXPECT_EQ(outcome({}, header), "invalid_client") << header;
}

TEST_F(ClientAuthTest, AnAssertionIsSignedByTheClientsOwnKey) {
  for (const auto algorithm :
       {crypto::SigningAlgorithm::es256, crypto::SigningAlgorithm::eddsa, crypto::SigningAlgorithm::rs256}) {
    const auto key = *crypto::SigningKey::generate(algorithm);
    const std::string id(crypto::name_of(algorithm));
    add_jwt_client(id, key);
    const auto got = authenticate(signed_by(key, claims(id)));
    ASSERT_TRUE(got) << id;
    EXPECT_EQ(got->client->id, id);
    EXPECT_EQ(got->assertion_jti, id + " 1");
    EXPECT_GE(got->assertion_expires_s, kNow + 120);
    const auto strangers = *crypto::SigningKey::generate(algorithm);
    EXPECT_EQ(outcome(signed_by(strangers, claims(id))), "invalid_client");
  }
}

// Bug class 17: the jti comes back to be remembered, and is the client's own.
TEST_F(ClientAuthTest, Bug17TwoClientsMayUseTheSameJti) {
  const auto key = *crypto::SigningKey::generate(crypto::SigningAlgorithm::es256);
  add_jwt_client("j1", key);
  add_jwt_client("j2", key);
  const auto one = authenticate(signed_by(key, claims("j1")));
  const auto again = authenticate(signed_by(key, claims("j1")));
  const auto two = authenticate(signed_by(key, claims("j2")));
  ASSERT_TRUE(one && again && two);
  EXPECT_EQ(one->assertion_jti, again->assertion_jti);
  EXPECT_NE(one->assertion_jti, two->assertion_jti);
}

TEST_F(ClientAuthTest, AssertionsThatAreNotForUsOrNotNowAreRefused) {
  const auto key = *crypto::SigningKey::generate(crypto::SigningAlgorithm::es256);
  add_jwt_client("j", key);
  const auto with = [&](std::string_view name, json::value value) {
    json::object payload = claims("j");
    if (value.is_null())
      payload.erase(name);
    else
      payload[name] = std::move(value);
    return outcome(signed_by(key, payload));
  };
  EXPECT_EQ(with("aud", "https://id.example/oauth2/token"), "j");
  EXPECT_EQ(with("aud", json::array({"https://other.example", "https://id.example"})), "j");
  EXPECT_EQ(with("nbf", kNow + 8), "j");
  EXPECT_EQ(with("exp", kNow - 30), "j");
  const struct {
    const char* name;
    json::value value;
  } refused[] = {{"aud", nullptr},
                 {"aud", "https://id.example/"},
                 {"aud", "https://other.example"},
                 {"aud", json::array({"https://other.example"})},
                 {"aud", json::array()},
                 {"iss", nullptr},
                 {"iss", "other"},
                 {"sub", nullptr},
                 {"sub", "other"},
                 {"jti", nullptr},
                 {"jti", ""},
                 {"jti", json::string(300, 'j')},
                 {"exp", nullptr},
                 {"exp", kNow - 61},
                 {"exp", kNow + 86'400},
                 {"nbf", kNow + 61},
                 {"iat", kNow + 61}};
  for (const auto& [name, value] : refused)
    EXPECT_EQ(with(name, value), "invalid_client") << name << " " << value;
  auto fields = signed_by(key, claims("j"));
  fields.emplace_back("client_id", "other");
  EXPECT_EQ(outcome(fields), "invalid_client");
  fields = signed_by(key, claims("j"));
  fields[0].second = "urn:ietf:params:oauth:client-assertion-type:saml2-bearer";
  EXPECT_EQ(outcome(fields), "invalid_request");
}

// Bug class 16: in a client assertion.
// RFC 9126 §2: the PAR endpoint's own URL; which endpoint was asked is among `audiences`.
TEST_F(ClientAuthTest, Fapi2ClientsNameTheIssuerAloneAndSignWithNoRs256) {
  const auto key = *crypto::SigningKey::generate(crypto::SigningAlgorithm::es256);
  const auto rsa = *crypto::SigningKey::generate(crypto::SigningAlgorithm::rs256);
  const auto add_client = [&](const std::string& id, bool strict) {
    Client client = a_client(id, ClientAuth::private_key_jwt);
    client.jwks = R"({"keys":[)" + key.public_key().jwk() + "," + rsa.public_key().jwk() + "]}";
    client.require_par = client.require_dpop = strict;
    add(client);
  };
  add_client("strict", true);
  add_client("j", false);
  const auto with = [&](const std::string& id, json::value audience, const crypto::SigningKey& by) {
    json::object payload = claims(id);
    payload["aud"] = std::move(audience);
    return outcome(signed_by(by, payload));
  };
  EXPECT_EQ(with("strict", "https://id.example", key), "strict");
  for (const auto& audience :
       {json::value("https://id.example/oauth2/token"), json::value(json::array({"https://id.example"}))}) {
    EXPECT_EQ(with("strict", audience, key), "invalid_client") << audience;
    EXPECT_EQ(with("j", audience, key), "j") << audience;
  }
  EXPECT_EQ(with("strict", "https://id.example", rsa), "invalid_client");
  EXPECT_EQ(with("j", "https://id.example", rsa), "j");
  EXPECT_EQ(with("j", "", key), "invalid_client");
}

TEST_F(ClientAuthTest, Bug16TheAssertionsHeaderDecidesNothing) {
  const auto key = *crypto::SigningKey::generate(crypto::SigningAlgorithm::rs256);
  const auto mine = *crypto::SigningKey::generate(crypto::SigningAlgorithm::es256);
  add_jwt_client("j", key);
  const auto part = [](const json::object& o) { return to_base64url(as_bytes(json::serialize(o))); };
  const std::string payload = part(claims("j"));
  const auto forged = [&](json::object header, auto sign) {
    const std::string input = part(header) + "." + payload;
    return outcome(assertion(input + "." + to_base64url(sign(input))));
  };
  const auto by_me = [&](const std::string& input) { return mine.sign(as_bytes(input)); };
  const auto nothing = [](const std::string&) { return to_bytes("x"); };
  const auto hmac = [&](const std::string& input) {
    return crypto::hmac_sha256(as_bytes(key.public_key().jwk()), as_bytes(input));
  };
  EXPECT_EQ(forged({{"alg", "none"}}, nothing), "invalid_client");
  EXPECT_EQ(forged({{"alg", "HS256"}}, hmac), "invalid_client");
  EXPECT_EQ(forged({{"alg", "ES256"}, {"jwk", json::parse(mine.public_key().jwk())}}, by_me),
            "invalid_client");
  EXPECT_EQ(forged({{"alg", "ES256"}, {"jku", "https://evil.example"}}, by_me), "invalid_client");
  EXPECT_EQ(forged({{"alg", "ES256"}}, by_me), "invalid_client");
}

}  // namespace
}  // namespace muhur::oidc

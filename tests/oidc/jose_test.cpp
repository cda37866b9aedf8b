#include "oidc/jose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "base/encoding.hpp"
#include "crypto/mac.hpp"
#include "oidc/json.hpp"

namespace muhur::oidc {
namespace {

namespace json = boost::json;
using crypto::SigningAlgorithm;

crypto::SigningKey new_key(SigningAlgorithm algorithm = SigningAlgorithm::es256) {
  return *crypto::SigningKey::generate(algorithm);
}

std::string part(std::string_view text) { return to_base64url(as_bytes(text)); }
std::string token_of(std::string_view header, std::string_view payload, std::string_view signature = "sig") {
  return part(header) + "." + part(payload) + "." + part(signature);
}
std::string set_of(const std::vector<std::pair<std::string, crypto::SigningKey>>& keys) {
  std::string list;
  for (const auto& [kid, key] : keys) {
    std::string jwk = key.public_key().jwk();
    if (!kid.empty()) jwk.insert(1, R"("kid":")" + kid + R"(",)");
    list += (list.empty() ? "" : ",") + jwk;
  }
  return R"({"keys":[)" + list + "]}";
}

// RFC 7515, appendix A.3.
TEST(Jose, TakesTheRfcsExample) {
  const auto jws = parse_jws(
      "eyJhbGciOiJFUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290"
      "Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
  ASSERT_TRUE(jws);
  EXPECT_EQ(text_of(jws->payload, "iss"), "joe");
  const auto keys =
      JwkSet::parse(R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})");
  ASSERT_TRUE(keys);
  EXPECT_TRUE(keys->verify(*jws, kAccepted));
  const SigningAlgorithm only[] = {SigningAlgorithm::eddsa, SigningAlgorithm::rs256};
  EXPECT_FALSE(keys->verify(*jws, only));
}

TEST(Jose, WhatIsSignedIsVerifiedByItsKeyAndNoOther) {
  for (const auto algorithm : {SigningAlgorithm::es256, SigningAlgorithm::eddsa, SigningAlgorithm::rs256}) {
    const auto key = new_key(algorithm);
    const std::string token = sign_jwt({{"sub", "7"}}, "at+jwt", "k1", key);
    const auto jws = parse_jws(token);
    ASSERT_TRUE(jws);
    EXPECT_EQ(json::serialize(jws->header),
              R"({"alg":")" + std::string(crypto::name_of(algorithm)) + R"(","typ":"at+jwt","kid":"k1"})");
    EXPECT_TRUE(JwkSet::parse(set_of({{"k1", key}}))->verify(*jws, kAccepted));
    EXPECT_TRUE(JwkSet::parse(set_of({{"", new_key(algorithm)}, {"", key}}))->verify(*jws, kAccepted));
    EXPECT_FALSE(JwkSet::parse(set_of({{"k1", new_key(algorithm)}}))->verify(*jws, kAccepted));
    EXPECT_FALSE(JwkSet::parse(set_of({{"k2", key}}))->verify(*jws, kAccepted));
    EXPECT_FALSE(JwkSet::parse(R"({"keys":[]})")->verify(*jws, kAccepted));
  }
}

// openid-client 6 signs with "Ed25519" (RFC 9864), which was refused.
TEST(Jose, Ed25519IsEdDsaByItsNewerName) {
  const auto key = new_key(SigningAlgorithm::eddsa);
  const std::string input = to_base64url(as_bytes(std::string_view(R"({"alg":"Ed25519"})"))) + "." +
                            to_base64url(as_bytes(std::string_view(R"({"sub":"7"})")));
  const std::string token = input + "." + to_base64url(key.sign(as_bytes(input)));
  const auto jws = parse_jws(token);
  ASSERT_TRUE(jws);
  EXPECT_TRUE(verify_jws(*jws, key.public_key(), kAccepted));
  json::object jwk = *parse_object(key.public_key().jwk());
  jwk["alg"] = "Ed25519";
  EXPECT_TRUE(JwkSet::parse(json::serialize(json::object{{"keys", {jwk}}}))->verify(*jws, kAccepted));
  EXPECT_FALSE(verify_jws(*jws, new_key(SigningAlgorithm::es256).public_key(), kAccepted));
}

TEST(Jose, EveryChangedCharacterIsFound) {
  const auto key = new_key();
  const std::string token = sign_jwt({{"sub", "7"}}, "", "", key);
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string bent = token;
    bent[i] = bent[i] == 'A' ? 'B' : 'A';
    const auto jws = parse_jws(bent);
    EXPECT_FALSE(jws && verify_jws(*jws, key.public_key(), kAccepted)) << i;
  }
}

// Bug class 16: alg none, a public key taken for an HMAC's, keys and rules that the token brings along.
TEST(Jose, Bug16TheTokenNeverChoosesHowItIsVerified) {
  const char* headers[] = {
      R"({"alg":"none"})",
      R"({"alg":"None"})",
      R"({"alg":"nOnE"})",
      R"({"alg":""})",
      R"({"alg":null})",
      R"({"typ":"JWT"})",
      R"({"alg":["ES256"]})",
      R"({"alg":"ES256","jwk":{"kty":"EC"}})",
      R"({"alg":"ES256","jku":"https://evil.example/jwks"})",
      R"({"alg":"ES256","x5u":"https://evil.example/x"})",
      R"({"alg":"ES256","x5c":["x"]})",
      R"({"alg":"ES256","crit":["b64"],"b64":false})",
      R"({"alg":"ES256","zip":"DEF"})",
      R"({"alg":"ES256","alg":"none"})",
      R"({"alg":"ES256","kid":7})",
  };
  for (const auto* header : headers) EXPECT_FALSE(parse_jws(token_of(header, "{}"))) << header;
  EXPECT_FALSE(parse_jws(part(R"({"alg":"ES256"})") + "." + part("{}") + "."));
  EXPECT_TRUE(parse_jws(token_of(R"({"alg":"ES256","jwk":{}})", "{}"), true));
  EXPECT_FALSE(parse_jws(token_of(R"({"alg":"ES256","jku":"x"})", "{}"), true));
}

TEST(Jose, Bug16APublicKeyIsNoHmacKey) {
  const auto key = new_key(SigningAlgorithm::rs256);
  const auto keys = JwkSet::parse(set_of({{"k1", key}}));
  std::string token = part(R"({"alg":"HS256","kid":"k1"})") + "." + part(R"({"sub":"7"})");
  for (const std::string& secret : {key.public_key().jwk(), set_of({{"k1", key}})}) {
    const std::string forged =
        token + "." + to_base64url(crypto::hmac_sha256(as_bytes(secret), as_bytes(token)));
    const auto jws = parse_jws(forged);
    ASSERT_TRUE(jws);
    EXPECT_EQ(keys->verify(*jws, kAccepted).error().code, Code::denied);
  }
  EXPECT_FALSE(JwkSet::parse(R"({"keys":[{"kty":"oct","k":"c2VjcmV0"}]})"));
}

TEST(Jose, Bug16AnyKidIsOnlyLookedUp) {
  const auto key = new_key();
  const auto keys = JwkSet::parse(set_of({{"k1", key}}));
  for (const std::string& kid : {std::string("'"), std::string("../../etc/passwd"), std::string(4096, 'k'),
                                 std::string("k1\0", 3), std::string("' OR 1=1 --")}) {
    const std::string token = sign_jwt({}, "", kid, key);
    const auto jws = parse_jws(token);
    ASSERT_TRUE(jws);
    EXPECT_FALSE(keys->verify(*jws, kAccepted)) << kid;
  }
}

TEST(Jose, MalformedTokensAreRefused) {
  const std::string good = token_of(R"({"alg":"ES256"})", "{}");
  ASSERT_TRUE(parse_jws(good));
  const auto dot = good.find('.');
  for (const std::string& bad :
       {std::string(), std::string("."), std::string(".."), std::string("a.b.c"), good + ".", good + ".x",
        "." + good, good.substr(0, dot), good + "=", " " + good, good + "\n", token_of("[]", "{}"),
        token_of(R"({"alg":"ES256"})", "[]"), token_of(R"({"alg":"ES256"})", R"({"a":1,"a":2})"),
        token_of(R"({"alg":"ES256"})", R"({"a":")" + std::string(17'000, 'x') + R"("})")})
    EXPECT_FALSE(parse_jws(bad)) << bad.substr(0, 60);
  for (std::size_t size = 0; size < good.rfind('.') + 2; ++size)
    EXPECT_FALSE(parse_jws(good.substr(0, size))) << size;
}

// Bug class 30: clocks that differ.
TEST(Jose, Bug30ClocksMayDifferByAMinute) {
  const std::int64_t now = 1'700'000'000;
  const auto good = [&](json::object payload) { return check_times(payload, now).has_value(); };
  EXPECT_TRUE(good({{"exp", now + 1}}));
  EXPECT_TRUE(good({{"exp", now - 59}}));
  EXPECT_FALSE(good({{"exp", now - 60}}));
  EXPECT_TRUE(good({{"exp", now + 100}, {"nbf", now + 8}, {"iat", now + 8}}));
  EXPECT_TRUE(good({{"exp", now + 100}, {"nbf", now + 60}, {"iat", now + 60}}));
  EXPECT_FALSE(good({{"exp", now + 100}, {"nbf", now + 61}}));
  EXPECT_FALSE(good({{"exp", now + 100}, {"iat", now + 61}}));
  EXPECT_TRUE(good({{"exp", static_cast<double>(now) + 0.5}}));
}

TEST(Jose, TimesAreNumbersAndExpIsThere) {
  const std::int64_t now = 1'700'000'000;
  EXPECT_FALSE(check_times({}, now));
  EXPECT_FALSE(check_times({{"exp", std::to_string(now + 100)}}, now));
  EXPECT_FALSE(check_times({{"exp", true}}, now));
  EXPECT_FALSE(check_times({{"exp", 1e300}}, now));
  EXPECT_FALSE(check_times({{"exp", -1}}, now));
  EXPECT_FALSE(check_times({{"exp", now + 100}, {"nbf", "0"}}, now));
  EXPECT_FALSE(check_times({{"exp", ~std::uint64_t{0}}}, now));
}

TEST(Jose, AJwkSetHasPublicKeysThatWeKnow) {
  const auto key = new_key();
  const std::string jwk = key.public_key().jwk();
  const auto with = [&](std::string more) { return R"({"keys":[)" + jwk + "," + more + "]}"; };
  // passed over
  for (const auto* other : {R"({"kty":"EC","crv":"P-521","x":"AA","y":"AA"})", R"({"kty":"AKP","pub":"AA"})",
                            R"({"kty":"RSA","use":"enc","n":"AA","e":"AQAB"})",
                            R"({"kty":"RSA","alg":"RS512","n":"AA","e":"AQAB"})"}) {
    const auto set = JwkSet::parse(with(other));
    ASSERT_TRUE(set) << other;
    const std::string token = sign_jwt({}, "", "", key);
    EXPECT_TRUE(set->verify(*parse_jws(token), kAccepted));
  }
  EXPECT_TRUE(JwkSet::parse(R"({"keys":[]})")->empty());
  // refused
  for (const std::string& bad :
       {std::string("[]"), std::string("{}"), std::string(R"({"keys":{}})"), with("1"),
        with(R"({"kty":"oct","k":"AA"})"), with(R"({"kty":"RSA","n":"AA","e":"AQAB"})"),
        with(R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"AA"})")})
    EXPECT_FALSE(JwkSet::parse(bad)) << bad;
  std::string many = jwk;
  for (int i = 0; i < 64; ++i) many += "," + jwk;
  EXPECT_FALSE(JwkSet::parse(R"({"keys":[)" + many + "]}"));
}

// OpenID Connect Core, appendix A.3: at_hash of the example's access token.
TEST(Jose, HalfHashAgreesWithTheSpecification) {
  EXPECT_EQ(half_hash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"), "77QmUPtjPfzWtF2AnpK9RQ");
  EXPECT_EQ(half_hash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", SigningAlgorithm::rs256),
            "77QmUPtjPfzWtF2AnpK9RQ");
  EXPECT_EQ(half_hash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", SigningAlgorithm::eddsa),
            "q7nS86GgvvFaZkzALLWqJYaJIKw2wCDAVfCAsm5CrBM");
}

}  // namespace
}  // namespace muhur::oidc

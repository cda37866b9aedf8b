#include "oidc/dpop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/encoding.hpp"
#include "crypto/mac.hpp"
#include "oidc/jose.hpp"

namespace muhur::oidc {
namespace {

namespace json = boost::json;

constexpr std::int64_t kNow = 1'700'000'000;
constexpr std::string_view kUrl = "https://id.example/oauth2/token";

class DpopTest : public testing::Test {
 protected:
  json::object claims() const { return {{"jti", "unique"}, {"htm", "POST"}, {"htu", kUrl}, {"iat", kNow}}; }
  json::object header() const {
    return {{"typ", "dpop+jwt"}, {"alg", "ES256"}, {"jwk", json::parse(key_.public_key().jwk())}};
  }
  std::string proof(const json::object& payload, const json::object& head) const {
    const std::string input = to_base64url(as_bytes(json::serialize(head))) + "." +
                              to_base64url(as_bytes(json::serialize(payload)));
    return input + "." + to_base64url(key_.sign(as_bytes(input)));
  }
  std::string proof(const json::object& payload) const { return proof(payload, header()); }
  std::string code(const std::string& text, bool require_nonce = false,
                   std::optional<std::string_view> token = {}) const {
    const auto checked = dpop_.check(text, "POST", kUrl, kNow, token, require_nonce);
    return checked ? "ok" : checked.error().code;
  }
  std::string with(std::string_view name, json::value value) const {
    json::object payload = claims();
    if (value.is_null())
      payload.erase(name);
    else
      payload[name] = std::move(value);
    return code(proof(payload));
  }
  std::string with_header(std::string_view name, json::value value) const {
    json::object head = header();
    if (value.is_null())
      head.erase(name);
    else
      head[name] = std::move(value);
    return code(proof(claims(), head));
  }
  crypto::SigningKey key_ = *crypto::SigningKey::generate(crypto::SigningAlgorithm::es256);
  Dpop dpop_{Secret::random(32)};
};

// RFC 9449, §4.1 and §6.1.
TEST_F(DpopTest, TakesTheRfcsExample) {
  const auto checked = dpop_.check(
      "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOX"
      "pDa0Rs"
      "cEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6Il"
      "AtMjU2"
      "In19."
      "eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2"
      "V"
      "uIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-"
      "FNyJK70nfbV37xR"
      "ZT3Lg",
      "POST", "https://server.example.com/token", 1'562'262'616, {}, false);
  ASSERT_TRUE(checked) << checked.error().description;
  EXPECT_EQ(checked->jkt, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
  EXPECT_EQ(checked->jti, checked->jkt + " -BwC3ESc6acc2lTc");
}

TEST_F(DpopTest, AProofIsGoodForItsRequestOnly) {
  EXPECT_EQ(code(proof(claims())), "ok");
  EXPECT_EQ(with("htm", "GET"), "invalid_dpop_proof");
  EXPECT_EQ(with("htm", "post"), "invalid_dpop_proof");
  EXPECT_EQ(with("htm", nullptr), "invalid_dpop_proof");
  EXPECT_EQ(with("htu", nullptr), "invalid_dpop_proof");
  EXPECT_EQ(with("htu", "https://id.example/oauth2/userinfo"), "invalid_dpop_proof");
  EXPECT_EQ(with("htu", "https://id.example.evil/oauth2/token"), "invalid_dpop_proof");
  EXPECT_EQ(with("htu", "http://id.example/oauth2/token"), "invalid_dpop_proof");
  EXPECT_EQ(with("htu", "https://id.example/oauth2/TOKEN"), "invalid_dpop_proof");
  EXPECT_EQ(with("htu", "https://id.example:8443/oauth2/token"), "invalid_dpop_proof");
  EXPECT_EQ(with("htu", "/oauth2/token"), "invalid_dpop_proof");
  for (const auto* same : {"https://ID.example/oauth2/token", "https://id.example:443/oauth2/token",
                           "https://id.example/oauth2/token?x=1", "https://id.example/oauth2/token#x"})
    EXPECT_EQ(with("htu", same), "ok") << same;
}

TEST_F(DpopTest, AProofIsFresh) {
  EXPECT_EQ(with("iat", kNow - 10), "ok");
  EXPECT_EQ(with("iat", kNow + 8), "ok");
  EXPECT_EQ(with("iat", kNow + 61), "invalid_dpop_proof");
  EXPECT_EQ(with("iat", kNow - 301), "invalid_dpop_proof");
  EXPECT_EQ(with("iat", nullptr), "invalid_dpop_proof");
  EXPECT_EQ(with("iat", "now"), "invalid_dpop_proof");
  EXPECT_EQ(with("jti", nullptr), "invalid_dpop_proof");
  EXPECT_EQ(with("jti", ""), "invalid_dpop_proof");
  EXPECT_EQ(with("jti", json::string(300, 'j')), "invalid_dpop_proof");
  const auto checked = dpop_.check(proof(claims()), "POST", kUrl, kNow, {}, false);
  EXPECT_GT(checked->expires_s, kNow + 300);
}

// Bug class 16: in a DPoP proof, where a key comes along by design.
TEST_F(DpopTest, Bug16TheKeyInTheProofIsPublicAsymmetricAndItsOwn) {
  EXPECT_EQ(with_header("alg", "none"), "invalid_dpop_proof");
  EXPECT_EQ(with_header("alg", "HS256"), "invalid_dpop_proof");
  EXPECT_EQ(with_header("alg", "RS256"), "invalid_dpop_proof");
  EXPECT_EQ(with_header("typ", "JWT"), "invalid_dpop_proof");
  EXPECT_EQ(with_header("typ", nullptr), "invalid_dpop_proof");
  EXPECT_EQ(with_header("jwk", nullptr), "invalid_dpop_proof");
  EXPECT_EQ(with_header("jwk", "x"), "invalid_dpop_proof");
  EXPECT_EQ(with_header("jwk", json::parse(R"({"kty":"oct","k":"AA"})")), "invalid_dpop_proof");
  EXPECT_EQ(with_header("jku", "https://evil.example"), "invalid_dpop_proof");
  EXPECT_EQ(with_header("crit", json::parse(R"(["exp"])")), "invalid_dpop_proof");
  auto leaking = json::parse(key_.public_key().jwk());
  leaking.as_object()["d"] = "AA";
  EXPECT_EQ(with_header("jwk", leaking), "invalid_dpop_proof");
  const auto other = crypto::SigningKey::generate(crypto::SigningAlgorithm::es256);
  EXPECT_EQ(with_header("jwk", json::parse(other->public_key().jwk())), "invalid_dpop_proof");
  const std::string text = "HS256 by the public key";
  const json::object head{
      {"typ", "dpop+jwt"}, {"alg", "HS256"}, {"jwk", json::parse(key_.public_key().jwk())}};
  const std::string input =
      to_base64url(as_bytes(json::serialize(head))) + "." + to_base64url(as_bytes(json::serialize(claims())));
  EXPECT_EQ(code(input + "." +
                 to_base64url(crypto::hmac_sha256(as_bytes(key_.public_key().jwk()), as_bytes(input)))),
            "invalid_dpop_proof");
}

TEST_F(DpopTest, AtAResourceTheProofNamesTheToken) {
  EXPECT_EQ(code(proof(claims()), false, "token"), "invalid_dpop_proof");
  json::object payload = claims();
  payload["ath"] = to_base64url(crypto::sha256(as_bytes("token")));
  EXPECT_EQ(code(proof(payload), false, "token"), "ok");
  EXPECT_EQ(code(proof(payload), false, "another"), "invalid_dpop_proof");
  const auto refused = dpop_.check(proof(payload), "POST", kUrl, kNow, "another", false);
  EXPECT_EQ(refused.error().status, 401);
  EXPECT_THAT(refused.error().www_authenticate, testing::StartsWith("DPoP error=\"invalid_dpop_proof\""));
  EXPECT_EQ(dpop_.check("x", "POST", kUrl, kNow, {}, false).error().status, 400);
}

TEST_F(DpopTest, ANonceIsOursAndFresh) {
  const auto refused = dpop_.check(proof(claims()), "POST", kUrl, kNow, {}, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "use_dpop_nonce");
  EXPECT_EQ(refused.error().status, 400);
  json::object payload = claims();
  payload["nonce"] = refused.error().dpop_nonce;
  EXPECT_EQ(code(proof(payload), true), "ok");
  EXPECT_EQ(code(proof(payload), false), "ok");
  const auto at = [&](std::int64_t now) {
    payload["iat"] = now;
    const auto checked = dpop_.check(proof(payload), "POST", kUrl, now, {}, false);
    return checked ? "ok" : checked.error().code;
  };
  EXPECT_EQ(at(kNow + 300), "ok");
  EXPECT_EQ(at(kNow + 700), "use_dpop_nonce");
  EXPECT_EQ(with("nonce", "guessed"), "use_dpop_nonce");
  EXPECT_EQ(with("nonce", ""), "use_dpop_nonce");
  EXPECT_EQ(with("nonce", 7), "use_dpop_nonce");
  EXPECT_EQ(with("nonce", json::string(Dpop(Secret::random(32)).nonce(kNow))), "use_dpop_nonce");
}

TEST_F(DpopTest, GarbageIsRefused) {
  for (const auto* text : {"", "x", "a.b.c", ".."}) EXPECT_EQ(code(text), "invalid_dpop_proof");
  const std::string good = proof(claims());
  EXPECT_EQ(code(good + ", " + good), "invalid_dpop_proof");
  EXPECT_EQ(code(good.substr(0, good.size() - 1)), "invalid_dpop_proof");
}

}  // namespace
}  // namespace muhur::oidc

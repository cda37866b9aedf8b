#include "oidc/pkce.hpp"

#include <gtest/gtest.h>

namespace muhur::oidc {
namespace {

// RFC 7636, appendix B.
constexpr std::string_view kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
constexpr std::string_view kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

template <class T>
std::string code(const std::expected<T, OAuthError>& outcome) {
  return outcome ? "ok" : outcome.error().code;
}

TEST(Pkce, AgreesWithTheRfcsExample) {
  EXPECT_EQ(challenge_of(kVerifier), kChallenge);
  EXPECT_TRUE(check_challenge(kChallenge, "S256", true));
  EXPECT_TRUE(verify_challenge(kChallenge, kVerifier));
}

// Bug class 10: PKCE downgrade.
TEST(Pkce, Bug10NoDowngradeInEitherDirection) {
  EXPECT_EQ(code(verify_challenge("", kVerifier)), "invalid_grant");
  EXPECT_EQ(code(verify_challenge(kChallenge, "")), "invalid_grant");
  EXPECT_EQ(code(verify_challenge(kChallenge, kChallenge)), "invalid_grant");  // as plain would be
  EXPECT_TRUE(verify_challenge("", ""));
}

TEST(Pkce, Bug10PlainIsRefusedAlsoWhenItIsTheDefault) {
  EXPECT_EQ(code(check_challenge(kChallenge, "plain", false)), "invalid_request");
  EXPECT_EQ(code(check_challenge(kChallenge, "", false)), "invalid_request");
  EXPECT_EQ(code(check_challenge(kChallenge, "s256", false)), "invalid_request");
}

TEST(Pkce, IsAskedForByTheClientsPolicy) {
  EXPECT_TRUE(check_challenge("", "", false));
  EXPECT_EQ(code(check_challenge("", "", true)), "invalid_request");
  EXPECT_EQ(code(check_challenge("", "S256", false)), "invalid_request");
}

TEST(Pkce, AChallengeIsTheBase64urlOfThirtyTwoBytes) {
  EXPECT_FALSE(check_challenge(kChallenge.substr(1), "S256", true));
  EXPECT_FALSE(check_challenge(std::string(kChallenge) + "A", "S256", true));
  EXPECT_FALSE(check_challenge(std::string(kChallenge) + "=", "S256", true));
  std::string padded(kChallenge);
  padded.back() = 'N';  // stray bits below the last byte
  EXPECT_FALSE(check_challenge(padded, "S256", true));
}

TEST(Pkce, AVerifierHas43To128UnreservedCharacters) {
  for (const std::size_t size : {43U, 128U}) {
    const std::string verifier(size, '~');
    EXPECT_TRUE(verify_challenge(challenge_of(verifier), verifier)) << size;
  }
  for (const std::size_t size : {1U, 42U, 129U, 100'000U}) {
    const std::string verifier(size, 'a');
    EXPECT_EQ(code(verify_challenge(challenge_of(verifier), verifier)), "invalid_request") << size;
  }
  const std::string odd = std::string(50, 'a') + "+";
  EXPECT_EQ(code(verify_challenge(challenge_of(odd), odd)), "invalid_request");
}

}  // namespace
}  // namespace muhur::oidc

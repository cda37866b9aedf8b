#include "crypto/signing.hpp"

#include <gtest/gtest.h>

#include "base/encoding.hpp"

namespace muhur::crypto {
namespace {

constexpr SigningAlgorithm kOwn[] = {SigningAlgorithm::es256, SigningAlgorithm::eddsa,
                                     SigningAlgorithm::rs256};
constexpr SigningAlgorithm kAll[] = {SigningAlgorithm::es256, SigningAlgorithm::eddsa,
                                     SigningAlgorithm::rs256, SigningAlgorithm::ps256};

struct Signed {
  SigningAlgorithm algorithm;
  std::string jwk, thumbprint, signature;
};

// Made by Node.js: keys, RFC 7638 thumbprints and signatures of "signed elsewhere".
const Signed kSigned[] = {
    {SigningAlgorithm::es256,
     R"({"crv":"P-256","kty":"EC","x":"omcqSxpYgXanUlwAxrfMW6fM525bAQ55cSP5ZfeSe6s","y":"xOPoG6_)"
     R"(YAq2oqIHLXcC1_K9eKJulp3HUIHAzn2kdiR0"})",
     "SzfYleM7P4_f9zTn6fz-w8_Rm-92fu9b3vazAz_Mjp0",
     R"(9pr6VA3X1WETp7JG9KwmrLt8wrtmYMSCd8WuX7D8r08kdfxV5ElyIPv9BQQg45pL5LGxeOIZ6O2NQN7r5nFrMg)"},
    {SigningAlgorithm::eddsa,
     R"({"crv":"Ed25519","kty":"OKP","x":"upHQqSI3erdpgj31tY1HxDfxTkm_7ycH9WGCjXh7Zqk"})",
     "1c-vBbRmIKVKHDS6HAS5axMGBR7ZHgBzKzDNZnkC85s",
     R"(NASyyAahX3yERXbesYx3m92mdg4J_CtjzmfcBf5XTSV6O2rL_K-8kLF3EpSeqai-MtJWwUGbHZ7SK4ywUunQAg)"},
    {SigningAlgorithm::rs256,
     R"({"e":"AQAB","kty":"RSA","n":"rYV5bWRdYCnYBh6RtV_uWOn0yV0qoBsYtQt3B2Nj2MvrJuiy0yNtPyCYo7H)"
     R"(GlUrq9R5O3tngywv0NxDwyfmBlcjOZ5FIvRr--QeHm7tmvpTb8bfQJMoeh0SbvYx0zpAyItK5a2-BDDvqwov-4K4)"
     R"(e85zfCXuoc_U3bNxA9Rc_aJZ3TfpiRhHevvVUK53V_NBYR4cEzu3pmWytudmy4UZQttgxu_EFlJtugIhecidlzmW)"
     R"(0jQxPjJFA5CuHxCaoNowjB5cY9w4_uYQfbZSlY1NEtEiMRSxmN2w_hqnYlBUjWa4fa_aicbT1lY4GFn6savLSj8a)"
     R"(GJRAtntP42icMfLMt6Q"})",
     "P9uuR7baPoIHHjxhtA2pNWHAdEwOzOcWLMs3ifylvFo",
     R"(O4D8GhE8-tFv9BcmuspZiM0qcZ4ApuJ0cXKS6KSCY67F-x1gDT8lI_bwQevtnxFiISR63RYOvqfU-r1MIW-TmPNW)"
     R"(-dsL-2bOz7-4ExMDs21hanm7QJDMnJ-5kfccAR845G6iTuP6_utjaG2C4CBBn0HqlsB2cejbBK_5sf6RuPuxRnMU)"
     R"(VsZVgx8f6OiuBEXFNTCZeidwnAWQR9wapLMaSkv20ZAVhubwmenVIWH3LPGz1W1Qd_bL1sLA1za6sXk8a-sy5ZZT)"
     R"(bcYL1N3AQWU52mVFxysSTKUtJTetZUzoL4nNAQHriWRRR7VbaahkqKBYP6yX-a90Rm5_g0S3PXjDFA)"},
    {SigningAlgorithm::ps256,
     R"({"e":"AQAB","kty":"RSA","n":"tEwS6KNIgFqHuRotKfKQFYzAVMg7kBmKmSqH_1XGs7b41DK7ULW_QvzMwD3)"
     R"(l2mJ-CE1eRWJDWcmIjKCUZy0ujLYZS52XdCsquPdN03vC0FRDKVPXhyyDSNi-MgfUs28enzmfaWF0fqrOW3sSk9Z)"
     R"(3wVltsxHGTmBuJZHJpCM3MQTqfB-_XQCeGTKYygj_0iiMTpYARhYPBNylfXlPab29rWTjQL2LauQfsiQOD9kq730)"
     R"(1LKVetsnogobLkteF5blaAv8tqHUU0GWNSOAWQ-PiYWdpjwFHG2AUpkfElrM0ue9rOVtCkUIKRXzp7QjuZvA27UX)"
     R"(B-qgwH6kU4X2By2O__w"})",
     "u3XTuat1ndc4NQvC745a7JbqCfsRf0C9QFLobkP_wDs",
     R"(djSgP3qJPxu6A5D3VPMIYeAldueACkOyMK7_ygRGTBXjlPA2slmkKTUhjqimoEwQ1MjG9NTWRnZxNVYh6Fe9W8fQ)"
     R"(bKmHE30y4bBvWgYE5qXORfX7cfq-38GSaEl0NZkkkDDlAilK9Fnm8qbvRYi3TzQu2v2zT1sBWu1Y_KdaaeyGennM)"
     R"(RzLA6yO03iTh_xC7IKVzauPqKNYoxTZiHD4n-zwJZUaVWcF3NnzNcYpjh-wjNYPk_DfLK3M1GU7mDz2OVpRBfW-9)"
     R"(3xYlOMT3oljRLv-GweKHfszTG3mAuVCClNHPQ4x3DdpCWow6bVwx4baFH_ebLy0v4C6mPcwK2qED1Q)"},
};

PublicKey key_of(std::string_view jwk) {
  auto key = PublicKey::from_jwk(jwk);
  EXPECT_TRUE(key) << (key ? "" : key.error().text());
  return key.value_or(PublicKey());
}

TEST(Signing, TakesSignaturesMadeElsewhereAndNoOthers) {
  for (const Signed& row : kSigned) {
    const PublicKey key = key_of(row.jwk);
    const Bytes signature = *from_base64url(row.signature);
    EXPECT_TRUE(key.verify(row.algorithm, as_bytes("signed elsewhere"), signature)) << row.jwk;
    EXPECT_FALSE(key.verify(row.algorithm, as_bytes("signed Elsewhere"), signature));
    EXPECT_FALSE(key.verify(row.algorithm, as_bytes("signed elsewhere"), {}));
    EXPECT_FALSE(key.verify(row.algorithm, as_bytes("signed elsewhere"), ByteView(signature).subspan(1)));
    for (std::size_t at = 0; at < signature.size(); at += 7) {
      Bytes bent = signature;
      bent[at] ^= 1;
      EXPECT_FALSE(key.verify(row.algorithm, as_bytes("signed elsewhere"), bent)) << at;
    }
    for (const auto other : kAll)
      if (other != row.algorithm)
        EXPECT_FALSE(key.verify(other, as_bytes("signed elsewhere"), signature)) << name_of(other);
  }
}

TEST(Signing, ThumbprintsAreThoseOfRfc7638) {
  for (const Signed& row : kSigned) {
    EXPECT_EQ(key_of(row.jwk).thumbprint(), row.thumbprint);
    EXPECT_EQ(key_of(row.jwk).jwk(), row.jwk);
  }
  // RFC 8037, appendix A.3
  EXPECT_EQ(key_of(R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})")
                .thumbprint(),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
  // RFC 9449, §6.1
  EXPECT_EQ(key_of(R"({"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",)"
                   R"("y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"})")
                .thumbprint(),
            "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
}

TEST(Signing, VerifiesTheExamplesOfTheRfcs) {
  // RFC 7515, appendix A.3
  EXPECT_TRUE(
      key_of(R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
             R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})")
          .verify(SigningAlgorithm::es256,
                  as_bytes("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6"
                           "Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"),
                  *from_base64url("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQx"
                                  "fKTUJqPP3-Kg6NU1Q")));
  // RFC 8037, appendix A.4
  EXPECT_TRUE(
      key_of(R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})")
          .verify(SigningAlgorithm::eddsa,
                  as_bytes("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"),
                  *from_base64url("hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsP"
                                  "t9g7sVvpAr_MuM0KAg")));
}

TEST(Signing, AKeyIsTheSameAfterItsWayThroughDer) {
  for (const auto algorithm : kOwn) {
    const auto key = SigningKey::generate(algorithm);
    ASSERT_TRUE(key);
    const auto again = SigningKey::from_der(algorithm, key->der());
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->algorithm(), algorithm);
    EXPECT_EQ(again->public_key().jwk(), key->public_key().jwk());
    const Bytes signature = again->sign(as_bytes("x"));
    EXPECT_EQ(signature.size(), algorithm == SigningAlgorithm::rs256 ? 256U : 64U);
    EXPECT_TRUE(key->public_key().verify(algorithm, as_bytes("x"), signature));
    EXPECT_TRUE(key_of(key->public_key().jwk()).verify(algorithm, as_bytes("x"), signature));
    EXPECT_EQ(key->public_key().jwk().find("\"d\""), std::string::npos);
  }
}

// r and s are numbers: those with leading zeros still take 32 bytes each.
TEST(Signing, Es256SignaturesAlwaysHave64Bytes) {
  const auto key = SigningKey::generate(SigningAlgorithm::es256);
  ASSERT_TRUE(key);
  bool short_number = false;
  for (int i = 0; i < 5'000 && !short_number; ++i) {
    const std::string message = std::to_string(i);
    const Bytes signature = key->sign(as_bytes(message));
    ASSERT_EQ(signature.size(), 64U);
    short_number = signature[0] == 0 || signature[32] == 0;
    if (short_number)
      EXPECT_TRUE(key->public_key().verify(SigningAlgorithm::es256, as_bytes(message), signature));
  }
  EXPECT_TRUE(short_number);
}

TEST(Signing, OnlyPrivateKeysOfTheAlgorithmAreRead) {
  const auto key = SigningKey::generate(SigningAlgorithm::es256);
  ASSERT_TRUE(key);
  EXPECT_EQ(SigningKey::from_der(SigningAlgorithm::eddsa, key->der()).error().code, Code::corrupt);
  EXPECT_EQ(SigningKey::from_der(SigningAlgorithm::rs256, key->der()).error().code, Code::corrupt);
  EXPECT_EQ(SigningKey::from_der(SigningAlgorithm::es256, Secret()).error().code, Code::corrupt);
  EXPECT_EQ(SigningKey::from_der(SigningAlgorithm::ps256, key->der()).error().code, Code::unsupported);
  EXPECT_EQ(SigningKey::generate(SigningAlgorithm::ps256).error().code, Code::unsupported);
  const Secret der = key->der();
  for (std::size_t size = 0; size < der.size(); ++size)
    EXPECT_FALSE(SigningKey::from_der(SigningAlgorithm::es256, der.slice(0, size))) << size;
  Bytes longer(der.view().begin(), der.view().end());
  longer.push_back(0);
  EXPECT_FALSE(SigningKey::from_der(SigningAlgorithm::es256, Secret(longer)));
  const Bytes p384 = *from_base64(
      "MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDCtagQi4ltHEyKLXH4c8VvGpD1dpByoN+4zlOROTMVW"
      "nDGur5Bwbq4qGDrDOTwUi1ihZANiAAQjGTXDTPu5RrtNEq88jvT8xc63mV9dfvHa6ATjgj3IwqvVI9HUCMWQXY+2"
      "apBi0XsxTH/VMsAXOhP9ZLQLV1QxPkWukdV5W8ueuiFPTwDUJV0VLaFE2JwS69vwvQ2f8Lo=");
  EXPECT_FALSE(SigningKey::from_der(SigningAlgorithm::es256, Secret(p384)));
}

// The last 65 bytes of the DER are the public point.
TEST(Signing, HalvesThatDoNotFitAreRefused) {
  const auto a = SigningKey::generate(SigningAlgorithm::es256);
  const auto b = SigningKey::generate(SigningAlgorithm::es256);
  ASSERT_TRUE(a && b);
  const Secret first = a->der(), second = b->der();
  ASSERT_EQ(first.size(), second.size());
  Bytes mixed(first.view().begin(), first.view().end());
  std::copy(second.view().end() - 65, second.view().end(), mixed.end() - 65);
  EXPECT_EQ(SigningKey::from_der(SigningAlgorithm::es256, Secret(mixed)).error().code, Code::corrupt);
}

TEST(Signing, RefusesJwksThatAreNoKeyToTrust) {
  const std::string ed = R"("crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")";
  const std::string x = R"("x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")";
  const std::string y = R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")";
  ASSERT_TRUE(PublicKey::from_jwk(R"({"kty":"OKP",)" + ed + "}"));
  ASSERT_TRUE(PublicKey::from_jwk(R"({"kty":"EC","crv":"P-256",)" + x + "," + y + "}"));
  const std::string refused[] = {
      "",
      "[]",
      "null",
      "{}",
      R"({"kty":"OKP",)" + ed + R"(,"d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"})",
      R"({"kty":"oct","k":"c2VjcmV0"})",
      R"({"kty":"okp",)" + ed + "}",
      R"({"kty":"OKP",)" + ed + R"(,"use":"enc"})",
      R"({"kty":"OKP",)" + ed + R"(,"alg":"ES256"})",
      R"({"kty":"OKP",)" + ed + R"(,"alg":"HS256"})",
      R"({"kty":"OKP",)" + ed + R"(,"alg":"none"})",
      R"({"kty":"OKP","crv":"Ed448","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})",
      R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHUQ"})",
      R"({"kty":"EC","crv":"P-256",)" + x + R"(,"y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5bA"})",
      R"({"kty":"EC","crv":"P-256",)" + x + R"(,"y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"})",
      R"({"kty":"EC","crv":"P-256",)" + x + R"(,"y":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})",
      R"({"kty":"EC","crv":"P-384",)" + x + "," + y + "}",
      R"({"kty":"EC","crv":"P-256",)" + x + "}",
      // 1024 bits
      R"({"kty":"RSA","e":"AQAB","n":")"
      R"(5NMHsmYfYi0Fzkv9Arck9ORPDfd61H0O-mZ1O2VY7T6XYIifVrTf2I4gWL6h-j8ItIH7e6anZlEjfhHF)"
      R"(jy02oWNN-L57-32gH7tBjdltoe0072c86HOreJgwGJq6gg28mFPgQACrTvIuQEyVLH5ZstGIkrgSlqAD)"
      R"(pxJC-YOvCNk)"
      R"("})",
      R"({"e":"AQ")" + kSigned[2].jwk.substr(kSigned[2].jwk.find(R"(,"kty")")),
      R"({"kty":"RSA","e":"AQAAAAAB")" + kSigned[2].jwk.substr(kSigned[2].jwk.find(R"(,"n")")),
  };
  for (const auto& jwk : refused) {
    const auto key = PublicKey::from_jwk(jwk);
    ASSERT_FALSE(key) << jwk;
    EXPECT_EQ(key.error().code, Code::invalid) << jwk;
  }
}

TEST(Signing, AnAlgNarrowsWhatAnRsaKeyIsFor) {
  std::string jwk = kSigned[2].jwk;
  EXPECT_TRUE(key_of(jwk).fits(SigningAlgorithm::rs256));
  EXPECT_TRUE(key_of(jwk).fits(SigningAlgorithm::ps256));
  jwk.insert(jwk.size() - 1, R"(,"alg":"RS256")");
  EXPECT_TRUE(key_of(jwk).fits(SigningAlgorithm::rs256));
  EXPECT_FALSE(key_of(jwk).fits(SigningAlgorithm::ps256));
  EXPECT_FALSE(PublicKey().fits(SigningAlgorithm::rs256));
}

TEST(Signing, NamesGoBothWays) {
  for (const auto algorithm : kAll) EXPECT_EQ(signing_algorithm(name_of(algorithm)), algorithm);
  for (const auto* name : {"none", "None", "HS256", "es256", "", "RS512"})
    EXPECT_FALSE(signing_algorithm(name));
}

}  // namespace
}  // namespace muhur::crypto

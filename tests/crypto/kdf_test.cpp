#include "crypto/kdf.hpp"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <sodium.h>

#include "base/encoding.hpp"
#include "base/random.hpp"

namespace muhur::crypto {
namespace {

TEST(Kdf, HkdfAgreesWithRfc5869) {
  const auto sequence = [](int from, int to) {
    std::string out;
    for (int i = from; i < to; ++i) out += static_cast<char>(i);
    return out;
  };
  EXPECT_EQ(to_hex(hkdf(Bytes(22, 0x0b), as_bytes(sequence(0x00, 0x0d)), sequence(0xf0, 0xfa), 42).view()),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
  EXPECT_EQ(
      to_hex(hkdf(as_bytes(sequence(0x00, 0x50)), as_bytes(sequence(0x60, 0xb0)), sequence(0xb0, 0x100), 82)
                 .view()),
      "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275"
      "60"
      "0c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87");
  EXPECT_EQ(to_hex(hkdf(Bytes(22, 0x0b), {}, "", 42).view()),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8");
}

Bytes openssl_hkdf(Bytes key, Bytes salt, std::string info, std::size_t size) {
  EVP_KDF* kdf = EVP_KDF_fetch(nullptr, "HKDF", nullptr);
  EVP_KDF_CTX* context = EVP_KDF_CTX_new(kdf);
  std::string digest = "SHA256";
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, key.data(), key.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt.data(), salt.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
      OSSL_PARAM_construct_end()};
  Bytes out(size);
  EXPECT_EQ(EVP_KDF_derive(context, out.data(), size, params), 1);
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(kdf);
  return out;
}

TEST(Kdf, HkdfAgreesWithOpensslForEverySize) {
  for (std::size_t size = 1; size < 200; ++size) {
    const Bytes key = random_bytes(1 + size % 70);
    const Bytes salt = random_bytes(1 + size % 40);
    const std::string info = random_hex(size % 30);
    const Bytes expected = openssl_hkdf(key, salt, info, size);
    ASSERT_TRUE(equal_constant_time(hkdf(key, salt, info, size).view(), expected)) << size;
  }
}

TEST(Kdf, Pbkdf2AgreesWithPublishedVectors) {
  EXPECT_EQ(to_hex(pbkdf2_sha256(as_bytes("password"), as_bytes("salt"), 1, 32).view()),
            "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b");
  EXPECT_EQ(to_hex(pbkdf2_sha256(as_bytes("password"), as_bytes("salt"), 4096, 32).view()),
            "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a");
  // RFC 7914 §11
  EXPECT_EQ(to_hex(pbkdf2_sha256(as_bytes("passwd"), as_bytes("salt"), 1, 64).view()),
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
            "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783");
}

TEST(Kdf, Argon2idAgreesWithLibsodium) {
  const Bytes salt = random_bytes(16);
  const std::string password = "correct horse";
  for (const Argon2Cost cost : {Argon2Cost{8, 1}, Argon2Cost{64, 2}, Argon2Cost{1024, 3}}) {
    const auto ours = argon2id(as_bytes(password), salt, cost, 64);
    ASSERT_TRUE(ours);
    Bytes theirs(64);
    ASSERT_EQ(crypto_pwhash(theirs.data(), theirs.size(), password.data(), password.size(), salt.data(),
                            cost.passes, std::size_t{cost.memory_kib} * 1024, crypto_pwhash_ALG_ARGON2ID13),
              0);
    EXPECT_TRUE(equal_constant_time(ours->view(), theirs));
  }
}

TEST(Kdf, Argon2idRefusesWhatIsNoCost) {
  EXPECT_EQ(argon2id({}, Bytes(15), {64, 1}, 32).error().code, Code::invalid);
  EXPECT_EQ(argon2id({}, Bytes(16), {7, 1}, 32).error().code, Code::invalid);
  EXPECT_EQ(argon2id({}, Bytes(16), {64, 0}, 32).error().code, Code::invalid);
}

}  // namespace
}  // namespace muhur::crypto

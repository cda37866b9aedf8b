#include "crypto/certificate.hpp"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>

namespace muhur::crypto {
namespace {

using X509Ptr = std::unique_ptr<X509, decltype([](X509* c) { X509_free(c); })>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype([](EVP_PKEY* k) { EVP_PKEY_free(k); })>;
using BioPtr = std::unique_ptr<BIO, decltype([](BIO* b) { BIO_free(b); })>;

X509Ptr read_certificate(std::string_view pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return X509Ptr(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

KeyPtr read_key(std::string_view pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return KeyPtr(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

TEST(Certificate, IsSignedByItsOwnKeyAndFitsIt) {
  const auto made = self_signed({"mail.example.org"}, 30);
  ASSERT_TRUE(made);
  const X509Ptr certificate = read_certificate(made->certificate_pem);
  const KeyPtr key = read_key(made->key_pem.text());
  ASSERT_TRUE(certificate && key);
  EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
  EXPECT_EQ(X509_verify(certificate.get(), key.get()), 1);
}

TEST(Certificate, NamesHostsAndAddresses) {
  const auto made = self_signed({"mail.example.org", "localhost", "127.0.0.1", "::1"}, 30);
  ASSERT_TRUE(made);
  const X509Ptr certificate = read_certificate(made->certificate_pem);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(X509_check_host(certificate.get(), "mail.example.org", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "localhost", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "example.org", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.2", 0), 0);
}

TEST(Certificate, IsValidForSoManyDays) {
  const auto made = self_signed({"x.example"}, 30);
  ASSERT_TRUE(made);
  const X509Ptr certificate = read_certificate(made->certificate_pem);
  ASSERT_TRUE(certificate);
  const std::time_t now = std::time(nullptr);
  std::time_t before = now + 29 * 86'400;
  std::time_t after = now + 31 * 86'400;
  EXPECT_LT(X509_cmp_time(X509_get0_notBefore(certificate.get()), nullptr), 0);
  EXPECT_GT(X509_cmp_time(X509_get0_notAfter(certificate.get()), &before), 0);
  EXPECT_LT(X509_cmp_time(X509_get0_notAfter(certificate.get()), &after), 0);
}

TEST(Certificate, RefusesNamesThatAreNone) {
  EXPECT_FALSE(self_signed({}, 30));
  EXPECT_FALSE(self_signed({"a b"}, 30));
  EXPECT_FALSE(self_signed({std::string("a\0b", 3)}, 30));
  EXPECT_FALSE(self_signed({"x.example"}, 0));
}

TEST(Certificate, AHostNameBeyondACommonNamesLengthStillStandsInTheSan) {
  const std::string host = std::string(60, 'a') + "." + std::string(60, 'b') + ".example";
  const auto made = self_signed({host}, 30);
  ASSERT_TRUE(made);
  const X509Ptr certificate = read_certificate(made->certificate_pem);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(X509_check_host(certificate.get(), host.c_str(), 0, 0, nullptr), 1);
}

}  // namespace
}  // namespace muhur::crypto

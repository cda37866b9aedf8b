#include "crypto/certificate.hpp"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/random.hpp"
#include "crypto/openssl.hpp"

namespace muhur::crypto {
namespace {

using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;

std::unexpected<Error> failed(std::string_view step) {
  return fail(Code::internal, "making a certificate failed: " + std::string(step));
}

bool add_name(GENERAL_NAMES* names, const std::string& name) {
  Byte address[16];
  const bool v4 = ::inet_pton(AF_INET, name.c_str(), address) == 1;
  const bool v6 = !v4 && ::inet_pton(AF_INET6, name.c_str(), address) == 1;
  ASN1_STRING* value = v4 || v6 ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();
  GENERAL_NAME* entry = GENERAL_NAME_new();
  const int size = v4 ? 4 : v6 ? 16 : static_cast<int>(name.size());
  const void* bytes = v4 || v6 ? static_cast<const void*>(address) : name.data();
  if (value == nullptr || entry == nullptr || ASN1_STRING_set(value, bytes, size) != 1) {
    ASN1_STRING_free(value);
    GENERAL_NAME_free(entry);
    return false;
  }
  GENERAL_NAME_set0_value(entry, v4 || v6 ? GEN_IPADD : GEN_DNS, value);
  if (sk_GENERAL_NAME_push(names, entry) > 0) return true;
  GENERAL_NAME_free(entry);
  return false;
}

bool add_extension(X509* certificate, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_serial(X509* certificate) {
  Bytes serial = random_bytes(16);
  serial[0] &= 0x7F;  // positive
  const Number number(BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

Result<std::string_view> contents(BIO* memory) {
  char* at = nullptr;
  const long size = BIO_get_mem_data(memory, &at);
  if (size <= 0) return failed("writing PEM");
  return std::string_view(at, static_cast<std::size_t>(size));
}

Result<Certificate> make(EVP_PKEY* key, const std::vector<std::string>& names, int days) {
  Certificate certificate(X509_new());
  if (!certificate || X509_set_version(certificate.get(), X509_VERSION_3) != 1 ||
      !set_serial(certificate.get()))
    return failed("serial number");
  // An hour back, for clients whose clock runs behind.
  if (X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600) == nullptr ||
      X509_time_adj_ex(X509_getm_notAfter(certificate.get()), days, 0, nullptr) == nullptr)
    return failed("validity");
  constexpr std::size_t kLongestCommonName = 64;  // X.520 ub-common-name; the names that count are in the SAN
  const std::string common = names.front().substr(0, kLongestCommonName);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const Byte*>(common.data()),
                                 static_cast<int>(common.size()), -1, 0) != 1 ||
      X509_set_issuer_name(certificate.get(), subject) != 1 || X509_set_pubkey(certificate.get(), key) != 1)
    return failed("names");
  const Names alternative(GENERAL_NAMES_new());
  for (const std::string& name : names)
    if (!alternative || !add_name(alternative.get(), name)) return failed("subjectAltName");
  if (X509_add1_ext_i2d(certificate.get(), NID_subject_alt_name, alternative.get(), 0, X509V3_ADD_DEFAULT) !=
          1 ||
      !add_extension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !add_extension(certificate.get(), NID_key_usage, "critical,digitalSignature") ||
      !add_extension(certificate.get(), NID_ext_key_usage, "serverAuth") ||
      !add_extension(certificate.get(), NID_subject_key_identifier, "hash"))
    return failed("extensions");
  if (X509_sign(certificate.get(), key, EVP_sha256()) == 0) return failed("signing");
  return certificate;
}

}  // namespace

Result<CertificateAndKey> self_signed(const std::vector<std::string>& names, int days) {
  if (names.empty()) return fail(Code::invalid, "a certificate needs at least one name");
  for (const std::string& name : names)
    for (const char c : name)
      if (c <= ' ' || static_cast<unsigned char>(c) >= 0x7F)
        return fail(Code::invalid, "a certificate's name has a character that no host name has",
                    "Give host names in their ASCII form (xn--…)");
  if (days < 1 || days > 36'500) return fail(Code::invalid, "a certificate is valid for 1 to 36500 days");
  const Pkey key(EVP_EC_gen("P-256"));
  if (!key) return failed("making the key");
  MUHUR_TRY(const Certificate certificate, make(key.get(), names, days));
  const Memory public_pem(BIO_new(BIO_s_mem()));
  const Memory private_pem(BIO_new(BIO_s_secmem()));
  if (!public_pem || !private_pem || PEM_write_bio_X509(public_pem.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(private_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return failed("writing PEM");
  MUHUR_TRY(const std::string_view certificate_text, contents(public_pem.get()));
  MUHUR_TRY(const std::string_view key_text, contents(private_pem.get()));
  return CertificateAndKey{std::string(certificate_text), Secret::from_text(key_text)};
}

}  // namespace muhur::crypto

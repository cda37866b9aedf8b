#include "crypto/certificate_expiry.hpp"

#include <fmt/format.h>
#include <openssl/pem.h>

#include <cerrno>
#include <ctime>
#include <fstream>

#include "crypto/openssl.hpp"

namespace muhur::crypto {

Result<std::int64_t> certificate_expiry(const std::filesystem::path& pem_file) {
  constexpr std::streamsize kLargest = 1 << 20;
  std::ifstream in(pem_file, std::ios::binary);
  if (!in) return fail_errno(errno, fmt::format("read {}", pem_file.string()));
  std::string text(kLargest, '\0');
  in.read(text.data(), kLargest);
  text.resize(static_cast<std::size_t>(in.gcount()));
  const Memory memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  const Certificate certificate(memory ? PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr)
                                       : nullptr);
  std::tm end{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1)
    return fail(Code::invalid, fmt::format("{} holds no certificate in PEM", pem_file.string()),
                "Put the certificate with its chain there, as the authority gave it");
  return static_cast<std::int64_t>(::timegm(&end));
}

}  // namespace muhur::crypto

#pragma once
// A self-signed X.509 certificate for a first start: ECDSA P-256, SHA-256, subjectAltName with the given
// host names and addresses, valid for `days`.

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::crypto {

struct CertificateAndKey {
  std::string certificate_pem;
  Secret key_pem;
};
Result<CertificateAndKey> self_signed(const std::vector<std::string>& names, int days);

}  // namespace muhur::crypto

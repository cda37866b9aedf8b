#pragma once
// A self-signed certificate and its key in a directory of their own, for tests.

#include <filesystem>
#include <fstream>

#include "base/random.hpp"
#include "crypto/certificate.hpp"

namespace muhur::net {

class TlsFiles {
 public:
  TlsFiles() : directory_(std::filesystem::temp_directory_path() / ("muhur-tls-" + random_hex(8))) {
    std::filesystem::create_directory(directory_);
    renew();
  }
  ~TlsFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  void renew() {
    const auto made = crypto::self_signed({"localhost", "127.0.0.1"}, 2);
    std::ofstream(certificate()) << made.value().certificate_pem;
    std::ofstream(key()) << made.value().key_pem.text();
  }
  std::filesystem::path certificate() const { return directory_ / "cert.pem"; }
  std::filesystem::path key() const { return directory_ / "key.pem"; }

 private:
  std::filesystem::path directory_;
};

}  // namespace muhur::net

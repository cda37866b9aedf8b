#pragma once
// TLS settings. The server's: certificate and key, TLS 1.2 and up, reloadable while streams live. The
// client's: whom to trust.

#include <filesystem>
#include <memory>

#include "base/error.hpp"

namespace boost::asio::ssl {
class context;
}

namespace muhur::net {

class TlsContext {
 public:
  // PEM files. Errors name the file.
  static Result<std::unique_ptr<TlsContext>> from_files(const std::filesystem::path& certificate,
                                                        const std::filesystem::path& key);
  ~TlsContext();
  // Reads the files again; on failure the old pair stays in use. The settings (protocol versions …) are
  // the same code as at the start (Dex CVE-2024-23656).
  Result<void> reload();
  // The context for new handshakes, kept alive by whoever holds it. Thread-safe.
  std::shared_ptr<boost::asio::ssl::context> current() const;

 private:
  struct Impl;
  explicit TlsContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class TlsClientContext {
 public:
  // Trusts the system's authorities, or only those in `authorities` (PEM) when it is given.
  static Result<std::unique_ptr<TlsClientContext>> create(const std::filesystem::path& authorities = {});
  ~TlsClientContext();
  std::shared_ptr<boost::asio::ssl::context> current() const { return context_; }

 private:
  explicit TlsClientContext(std::shared_ptr<boost::asio::ssl::context> context);
  std::shared_ptr<boost::asio::ssl::context> context_;
};

}  // namespace muhur::net

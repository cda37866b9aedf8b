#include "net/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/ssl/context.hpp>

#include "base/sync.hpp"

namespace muhur::net {
namespace ssl = boost::asio::ssl;
namespace {

// TLS 1.2: forward secrecy and AEAD only. TLS 1.3 has nothing weaker.
constexpr const char* kCiphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

Result<void> apply_settings(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // tickets need no memory of ours
  // Buffers go while a connection idles; a write may take a part and be repeated from elsewhere.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(context, kCiphers) != 1) {
    ERR_clear_error();
    return fail(Code::internal, "OpenSSL refused the TLS settings");
  }
  return {};
}

std::string last_reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(code);
  std::string text = reason ? reason : "unknown reason";
  ERR_clear_error();
  return text;
}

Result<std::shared_ptr<ssl::context>> load(const std::filesystem::path& certificate,
                                           const std::filesystem::path& key) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* handle = context->native_handle();
  MUHUR_CHECK(apply_settings(handle));
  ERR_clear_error();
  // An encrypted key would make OpenSSL ask on the terminal of a server: refuse it instead.
  SSL_CTX_set_default_passwd_cb(handle, [](char*, int, int, void*) { return -1; });
  if (SSL_CTX_use_certificate_chain_file(handle, certificate.c_str()) != 1)
    return fail(Code::invalid,
                fmt::format("the certificate {} cannot be used: {}", certificate.native(), last_reason()),
                "Give a PEM file with the certificate first and its chain behind it");
  if (SSL_CTX_use_PrivateKey_file(handle, key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(handle) != 1)
    return fail(Code::invalid,
                fmt::format("the key {} cannot be used with the certificate {}: {}", key.native(),
                            certificate.native(), last_reason()),
                "Give the unencrypted PEM key that belongs to the certificate, readable by the server");
  static constexpr unsigned char kSessionContext[] = "muhur";
  SSL_CTX_set_session_id_context(handle, kSessionContext, sizeof kSessionContext - 1);
  return context;
}

}  // namespace

struct TlsContext::Impl {
  std::filesystem::path certificate, key;
  mutable Mutex mutex;
  std::shared_ptr<ssl::context> context MUHUR_GUARDED_BY(mutex);
};

TlsContext::TlsContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsContext::~TlsContext() = default;

Result<std::unique_ptr<TlsContext>> TlsContext::from_files(const std::filesystem::path& certificate,
                                                           const std::filesystem::path& key) {
  auto impl = std::make_unique<Impl>();
  impl->certificate = certificate;
  impl->key = key;
  auto context = std::unique_ptr<TlsContext>(new TlsContext(std::move(impl)));
  MUHUR_CHECK(context->reload());
  return context;
}

Result<void> TlsContext::reload() {
  MUHUR_TRY(auto fresh, load(impl_->certificate, impl_->key));
  const Lock lock(impl_->mutex);
  impl_->context = std::move(fresh);
  return {};
}

std::shared_ptr<ssl::context> TlsContext::current() const {
  const Lock lock(impl_->mutex);
  return impl_->context;
}

TlsClientContext::TlsClientContext(std::shared_ptr<ssl::context> context) : context_(std::move(context)) {}
TlsClientContext::~TlsClientContext() = default;

Result<std::unique_ptr<TlsClientContext>> TlsClientContext::create(const std::filesystem::path& authorities) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  SSL_CTX* handle = context->native_handle();
  MUHUR_CHECK(apply_settings(handle));
  ERR_clear_error();
  const int rc = authorities.empty() ? SSL_CTX_set_default_verify_paths(handle)
                                     : SSL_CTX_load_verify_locations(handle, authorities.c_str(), nullptr);
  if (rc != 1)
    return fail(Code::invalid,
                fmt::format("the authorities {} cannot be read: {}", authorities.native(), last_reason()));
  SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nullptr);
  return std::unique_ptr<TlsClientContext>(new TlsClientContext(std::move(context)));
}

}  // namespace muhur::net

#include "net/transport.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <boost/asio/ssl/context.hpp>
#include <cerrno>

#include "net/tls_context.hpp"

namespace muhur::net {
namespace {

std::unexpected<Error> socket_error(int error) {
  if (error == ECONNRESET || error == EPIPE || error == ENOTCONN || error == EBADF)
    return fail(Code::closed, "the peer closed the connection");
  return fail_errno(error, "use a connection");
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

class Plain final : public Transport {
 public:
  explicit Plain(int socket) : socket_(socket) {}

  Result<Step> read(MutableBytes into) override {
    while (true) {
      const auto got = recv(socket_, into.data(), into.size(), 0);
      if (got > 0) return Step{Want::nothing, static_cast<std::size_t>(got)};
      if (got == 0) return fail(Code::closed, "the peer closed the connection");
      if (errno == EINTR) continue;
      if (would_block(errno)) return Step{Want::read};
      return socket_error(errno);
    }
  }

  Result<Step> write(ByteView bytes) override {
    while (true) {
      const auto put = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put >= 0) return Step{Want::nothing, static_cast<std::size_t>(put)};
      if (errno == EINTR) continue;
      if (would_block(errno)) return Step{Want::write};
      return socket_error(errno);
    }
  }

  Result<Step> handshake() override { return Step{}; }
  void goodbye() override {}
  bool secure() const override { return false; }

 private:
  int socket_;
};

// OpenSSL's own socket BIO would raise SIGPIPE where the peer is gone; this one does not.
int bio_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const auto fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const auto put = send(fd, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (put < 0 && (would_block(errno) || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(put);
}

int bio_read(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  const auto fd = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const auto got = recv(fd, data, static_cast<std::size_t>(size), 0);
  if (got < 0 && (would_block(errno) || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}

long bio_ctrl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* bio_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "muhur socket");
    BIO_meth_set_write(m, bio_write);
    BIO_meth_set_read(m, bio_read);
    BIO_meth_set_ctrl(m, bio_ctrl);
    BIO_meth_set_create(m, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    return m;
  }();
  return method;
}

class Tls final : public Transport {
 public:
  Tls(SSL* ssl, std::shared_ptr<boost::asio::ssl::context> context)
      : context_(std::move(context)), ssl_(ssl) {}
  ~Tls() override { SSL_free(ssl_); }
  Tls(const Tls&) = delete;
  Tls& operator=(const Tls&) = delete;

  Result<Step> read(MutableBytes into) override {
    std::size_t got = 0;
    return step([&] { return SSL_read_ex(ssl_, into.data(), into.size(), &got); }, got);
  }
  Result<Step> write(ByteView bytes) override {
    std::size_t put = 0;
    return step([&] { return SSL_write_ex(ssl_, bytes.data(), bytes.size(), &put); }, put);
  }
  Result<Step> handshake() override {
    std::size_t none = 0;
    return step([&] { return SSL_do_handshake(ssl_); }, none);
  }
  void goodbye() override {
    if (SSL_in_init(ssl_) || broken_) return;
    ERR_clear_error();
    SSL_shutdown(ssl_);
    ERR_clear_error();
  }
  bool secure() const override { return true; }

 private:
  template <class Act>
  Result<Step> step(Act act, const std::size_t& bytes) {
    ERR_clear_error();
    errno = 0;
    const int rc = act();
    if (rc > 0) return Step{Want::nothing, bytes};
    switch (SSL_get_error(ssl_, rc)) {
      case SSL_ERROR_WANT_READ:
        return Step{Want::read};
      case SSL_ERROR_WANT_WRITE:
        return Step{Want::write};
      case SSL_ERROR_ZERO_RETURN:
        return fail(Code::closed, "the peer closed the connection");
      case SSL_ERROR_SYSCALL:
        broken_ = true;
        return socket_error(errno == 0 ? ECONNRESET : errno);
      default:
        break;
    }
    broken_ = true;
    const unsigned long code = ERR_get_error();
    if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
      return fail(Code::closed, "the peer closed the connection without a TLS goodbye");
    const char* reason = ERR_reason_error_string(code);
    return fail(Code::io, fmt::format("TLS failed: {}", reason ? reason : "unknown reason"));
  }

  std::shared_ptr<boost::asio::ssl::context> context_;
  SSL* ssl_;
  bool broken_ = false;
};

Result<SSL*> new_ssl(int socket, SSL_CTX* context) {
  SSL* ssl = SSL_new(context);
  BIO* bio = ssl ? BIO_new(bio_method()) : nullptr;
  if (!bio) {
    SSL_free(ssl);
    ERR_clear_error();
    return fail(Code::busy, "there is no memory for a TLS session");
  }
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  SSL_set_bio(ssl, bio, bio);
  return ssl;
}

}  // namespace

std::unique_ptr<Transport> plain_transport(int socket) { return std::make_unique<Plain>(socket); }

Result<std::unique_ptr<Transport>> tls_server_transport(int socket, TlsContext& context) {
  auto current = context.current();
  MUHUR_TRY(SSL * ssl, new_ssl(socket, current->native_handle()));
  SSL_set_accept_state(ssl);
  return std::make_unique<Tls>(ssl, std::move(current));
}

Result<std::unique_ptr<Transport>> tls_client_transport(int socket, TlsClientContext& context,
                                                        const std::string& host) {
  auto current = context.current();
  MUHUR_TRY(SSL * ssl, new_ssl(socket, current->native_handle()));
  auto transport = std::make_unique<Tls>(ssl, std::move(current));
  SSL_set_connect_state(ssl);
  X509_VERIFY_PARAM* verify = SSL_get0_param(ssl);
  const bool literal = X509_VERIFY_PARAM_set1_ip_asc(verify, host.c_str()) == 1;
  if (!literal &&
      (SSL_set1_host(ssl, host.c_str()) != 1 || SSL_set_tlsext_host_name(ssl, host.c_str()) != 1)) {
    ERR_clear_error();
    return fail(Code::invalid, fmt::format("'{}' is no host name for TLS", host));
  }
  ERR_clear_error();
  return transport;
}

}  // namespace muhur::net

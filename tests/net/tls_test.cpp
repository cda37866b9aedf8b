// TLS on streams: handshakes, STARTTLS in place, verification, reloading. The other side is OpenSSL through
// our own client transport; tests/e2e talks to clients that we did not write.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/ssl/context.hpp>

#include "net/line_reader.hpp"
#include "net/run.hpp"
#include "net/tcp_stream.hpp"
#include "net/tls_context.hpp"
#include "net/tls_files.hpp"

namespace muhur::net {
namespace {

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    context_ = TlsContext::from_files(files_.certificate(), files_.key()).value();
    trusting_ = TlsClientContext::create(files_.certificate()).value();
    connect();
  }
  void connect() {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) std::abort();
    const boost::asio::generic::stream_protocol protocol(AF_UNIX, 0);
    server_ = std::make_unique<TcpStream>(Socket(io_, protocol, fds[0]));
    client_ = std::make_unique<TcpStream>(Socket(io_, protocol, fds[1]));
  }
  // Both handshakes at once; the client's outcome.
  Task<Result<void>> shake(TlsClientContext& trust, std::string host,
                           Result<void>* server_outcome = nullptr) {
    boost::asio::co_spawn(
        io_,
        [this, server_outcome]() -> Task<void> {
          auto outcome = co_await server_->start_tls(*context_);
          if (server_outcome) *server_outcome = std::move(outcome);
        },
        boost::asio::detached);
    co_return co_await client_->start_tls_as_client(trust, std::move(host));
  }

  TlsFiles files_;
  boost::asio::io_context io_;
  std::unique_ptr<TlsContext> context_;
  std::unique_ptr<TlsClientContext> trusting_;
  std::unique_ptr<TcpStream> server_, client_;
};

TEST_F(TlsTest, EncryptsWhatFollowsStarttls) {
  run(io_, [&]() -> Task<void> {
    LineReader at_server(*server_), at_client(*client_);
    EXPECT_TRUE(co_await client_->write(as_bytes("a STARTTLS\r\n")));
    EXPECT_EQ((co_await at_server.line(100)).value(), "a STARTTLS");
    EXPECT_FALSE(at_server.has_buffered());
    EXPECT_TRUE(co_await server_->write(as_bytes("a OK\r\n")));
    EXPECT_EQ((co_await at_client.line(100)).value(), "a OK");
    EXPECT_TRUE(co_await shake(*trusting_, "localhost"));
    EXPECT_TRUE(server_->secure());
    EXPECT_TRUE(client_->secure());
    const std::string body(300'000, 't');
    boost::asio::co_spawn(
        io_, [&]() -> Task<void> { EXPECT_TRUE(co_await client_->write(as_bytes(body + "\r\n"))); },
        boost::asio::detached);
    EXPECT_EQ((co_await at_server.line(400'000)).value(), body);
    EXPECT_TRUE(co_await server_->write(as_bytes("done\r\n")));
    EXPECT_EQ((co_await at_client.line(100)).value(), "done");
    co_await server_->shutdown();
    const auto end = co_await at_client.line(100);
    EXPECT_EQ(end.error().what, "the peer closed the connection");  // and not "without a TLS goodbye"
  }());
}

TEST_F(TlsTest, PlainBytesSlippedInBehindStarttlsFailTheHandshake) {
  // A man in the middle appends a command to STARTTLS; a server that did not look at its buffer and one
  // that reads the socket both have to refuse it.
  run(io_, [&]() -> Task<void> {
    EXPECT_TRUE(co_await client_->write(as_bytes("a STARTTLS\r\n")));
    LineReader at_server(*server_);
    EXPECT_EQ((co_await at_server.line(100)).value(), "a STARTTLS");
    EXPECT_TRUE(co_await client_->write(as_bytes("b LOGIN eve eve\r\n")));
    EXPECT_FALSE(co_await server_->start_tls(*context_));
    EXPECT_TRUE(server_->secure());  // no way back to plain text
    EXPECT_FALSE(co_await server_->write(as_bytes("b OK\r\n")));
  }());
}

TEST_F(TlsTest, AClientThatNeverShakesHandsTimesOut) {
  run(io_, [&]() -> Task<void> {
    server_->expires_after(std::chrono::milliseconds(20));
    EXPECT_EQ((co_await server_->start_tls(*context_)).error().code, Code::timed_out);
  }());
}

TEST_F(TlsTest, AClientRefusesAnotherHostsCertificateAndOneOfAStranger) {
  run(io_, [&]() -> Task<void> {
    EXPECT_FALSE(co_await shake(*trusting_, "mail.example.org"));
    connect();
    const TlsFiles strange;
    const auto other = TlsClientContext::create(strange.certificate()).value();
    EXPECT_FALSE(co_await shake(*other, "localhost"));
    connect();
    EXPECT_TRUE(co_await shake(*trusting_, "127.0.0.1"));
  }());
}

TEST_F(TlsTest, ReloadTakesTheNewPairAndKeepsTheOldOneWhenTheFilesAreBad) {
  run(io_, [&]() -> Task<void> {
    files_.renew();
    EXPECT_TRUE(context_->reload());
    EXPECT_FALSE(co_await shake(*trusting_, "localhost"));  // trusts the old one
    trusting_ = TlsClientContext::create(files_.certificate()).value();
    connect();
    EXPECT_TRUE(co_await shake(*trusting_, "localhost"));

    std::ofstream(files_.key()) << "no key";
    const auto reloaded = context_->reload();
    EXPECT_EQ(reloaded.error().code, Code::invalid);
    EXPECT_NE(reloaded.error().what.find("key.pem"), std::string::npos);
    connect();
    EXPECT_TRUE(co_await shake(*trusting_, "localhost"));
  }());
}

TEST_F(TlsTest, RefusesAnythingBelowTls12) {
  run(io_, [&]() -> Task<void> {
    SSL_CTX* old = trusting_->current()->native_handle();
    SSL_CTX_set_security_level(old, 0);
    SSL_CTX_set_min_proto_version(old, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(old, TLS1_1_VERSION);
    SSL_CTX_set_cipher_list(old, "ALL:@SECLEVEL=0");
    Result<void> at_server;
    EXPECT_FALSE(co_await shake(*trusting_, "localhost", &at_server));
    EXPECT_FALSE(at_server);
  }());
}

TEST_F(TlsTest, SpeaksTls12WithForwardSecrecy) {
  run(io_, [&]() -> Task<void> {
    SSL_CTX_set_max_proto_version(trusting_->current()->native_handle(), TLS1_2_VERSION);
    EXPECT_TRUE(co_await shake(*trusting_, "localhost"));
    EXPECT_TRUE(co_await server_->write(as_bytes("x\r\n")));
    LineReader at_client(*client_);
    EXPECT_EQ((co_await at_client.line(9)).value(), "x");
  }());
}

TEST(TlsContextTest, NamesTheFileThatIsMissing) {
  const auto missing = TlsContext::from_files("/nowhere/cert.pem", "/nowhere/key.pem");
  EXPECT_EQ(missing.error().code, Code::invalid);
  EXPECT_NE(missing.error().what.find("/nowhere/cert.pem"), std::string::npos);
}

}  // namespace
}  // namespace muhur::net

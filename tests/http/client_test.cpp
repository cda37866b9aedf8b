#include "http/client.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <future>

#include "http/server.hpp"
#include "net/connect.hpp"
#include "net/line_reader.hpp"
#include "net/listener.hpp"
#include "net/tls_context.hpp"
#include "net/tls_files.hpp"

namespace muhur::http {
namespace {

using namespace std::chrono_literals;

// Server and client on two threads, the test on its own.
class ClientTest : public testing::Test {
 protected:
  ClientTest() {
    router_.add("POST", "/echo", [](Request& request, const Parameters&) -> net::Task<Response> {
      co_return Response::text(201, request.body).with("X-Query", request.query);
    });
    router_.add("GET", "/large", [](Request&, const Parameters&) -> net::Task<Response> {
      co_return Response::text(200, std::string(5000, 'x'));
    });
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { io_.run(); });
  }
  ~ClientTest() override {
    client_.reset();
    for (auto& listener : listeners_) {
      listener->stop();
      listener->close_all();
    }
    listeners_.clear();
    work_.reset();
    for (auto& thread : threads_) thread.join();
  }
  std::uint16_t listen(net::Listener::Serve serve, net::TlsContext* tls = nullptr) {
    net::ListenerOptions options;
    options.name = "test";
    options.address = net::TcpAddress{"127.0.0.1", 0};
    options.implicit_tls = tls;
    auto bound = net::Listener::bind(io_, options, std::move(serve));
    listeners_.push_back(bound.value());
    listeners_.back()->start();
    return listeners_.back()->port();
  }
  std::uint16_t listen_http(net::TlsContext* tls = nullptr) {
    return listen(
        [this](net::StreamPtr stream) {
          ++connections_;
          return server_.serve(std::move(stream));
        },
        tls);
  }
  // A server that answers each connection's first bytes with `answer` and closes.
  std::uint16_t listen_raw(std::string answer) {
    return listen([this, answer](net::StreamPtr stream) { return raw(std::move(stream), answer); });
  }
  net::Task<void> raw(net::StreamPtr stream, std::string answer) {
    ++connections_;
    Byte room[4096];
    (void)co_await stream->read_some(room);
    (void)co_await stream->write(as_bytes(answer));
    co_await stream->shutdown();
  }
  void use(ClientOptions options) {
    client_ = std::make_unique<Client>(io_.get_executor(), std::move(options));
  }
  Result<Response> send(std::string method, std::string url, std::string body = "", bool idempotent = false,
                        std::chrono::milliseconds deadline = 20s) {
    if (!client_) use({});
    std::promise<Result<Response>> promise;
    boost::asio::co_spawn(
        boost::asio::make_strand(io_), client_->send(method, url, {}, body, deadline, idempotent),
        [&](std::exception_ptr, Result<Response> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }

  boost::asio::io_context io_{2};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::vector<std::jthread> threads_;
  Router router_;
  Server server_{router_, {.hosts = {"127.0.0.1", "localhost"}}};
  std::vector<std::shared_ptr<net::Listener>> listeners_;
  std::unique_ptr<Client> client_;
  std::atomic<int> connections_{0};
};

TEST_F(ClientTest, SendsAndReadsOnOneKeptConnection) {
  const auto url = fmt::format("http://127.0.0.1:{}/echo?a=b", listen_http());
  for (int i = 0; i < 5; ++i) {
    const auto response = send("POST", url, "body " + std::to_string(i));
    ASSERT_TRUE(response) << response.error().text();
    EXPECT_EQ(response->status, 201);
    EXPECT_EQ(response->body, "body " + std::to_string(i));
    EXPECT_EQ(response->headers.get("x-query"), "a=b");
  }
  EXPECT_EQ(connections_, 1);
  EXPECT_EQ(send("HEAD", fmt::format("http://127.0.0.1:{}/large", listeners_[0]->port())).value().body, "");
  EXPECT_EQ(send("GET", url).value().status, 405);
}

TEST_F(ClientTest, BoundsTheAnswer) {
  use({.max_body = 4000});
  EXPECT_EQ(send("GET", fmt::format("http://127.0.0.1:{}/large", listen_http())).error().code, Code::limit);
}

TEST_F(ClientTest, HoldsTheDeadlineAgainstAServerThatNeverAnswers) {
  const auto port = listen([](net::StreamPtr stream) -> net::Task<void> {
    Byte room[4096];
    while (co_await stream->read_some(room)) {
    }
  });
  EXPECT_EQ(send("GET", fmt::format("http://127.0.0.1:{}/", port), "", true, 50ms).error().code,
            Code::timed_out);
}

TEST_F(ClientTest, TellsWhatWentWrong) {
  EXPECT_EQ(send("GET", "nonsense").error().code, Code::invalid);
  EXPECT_EQ(send("GE T", "http://127.0.0.1/").error().code, Code::invalid);
  EXPECT_EQ(send("GET", "http://127.0.0.1:1/").error().code, Code::io);
  EXPECT_EQ(send("GET", fmt::format("http://127.0.0.1:{}/", listen_raw("SSH-2.0-x\r\n\r\n"))).error().code,
            Code::io);
  EXPECT_EQ(send("GET", fmt::format("http://127.0.0.1:{}/", listen_raw(""))).error().code, Code::closed);
  const auto cut = listen_raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
  EXPECT_FALSE(send("GET", fmt::format("http://127.0.0.1:{}/", cut)));
}

TEST_F(ClientTest, ReplacesADeadConnectionOnlyForIdempotentRequests) {
  // Answers once, promising to keep the connection, and closes it all the same.
  const auto port = listen_raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const auto url = fmt::format("http://127.0.0.1:{}/", port);
  ASSERT_TRUE(send("GET", url));
  EXPECT_EQ(send("POST", url, "x", true).value().body, "ok");
  EXPECT_EQ(connections_, 2);
  EXPECT_FALSE(send("POST", url, "x", false));
}

TEST_F(ClientTest, ReadsAnswersWithoutLengthToTheEnd) {
  const auto port = listen_raw("HTTP/1.0 200 OK\r\n\r\nuntil the end");
  EXPECT_EQ(send("GET", fmt::format("http://127.0.0.1:{}/", port)).value().body, "until the end");
}

TEST_F(ClientTest, VerifiesTheServersCertificateAndName) {
  net::TlsFiles files;
  const auto tls = net::TlsContext::from_files(files.certificate(), files.key()).value();
  const auto port = listen_http(tls.get());
  const auto url = fmt::format("https://localhost:{}/echo", port);
  use({.ca_file = files.certificate()});
  const auto good = send("POST", url, "secret");
  ASSERT_TRUE(good) << good.error().text();
  EXPECT_EQ(good->body, "secret");
  EXPECT_FALSE(send("POST", fmt::format("https://127.0.0.2:{}/echo", port)));  // not in the certificate
  use({});  // the system's authorities do not know it
  EXPECT_FALSE(send("POST", url, "secret"));
  use({.verify = false});
  EXPECT_TRUE(send("POST", url, "secret"));
}

TEST_F(ClientTest, ManyAtOnceGetTheirOwnAnswers) {
  const auto url = fmt::format("http://127.0.0.1:{}/echo", listen_http());
  use({.max_idle_per_host = 3});
  std::atomic<int> right{0};
  std::vector<std::promise<void>> done(50);
  for (std::size_t i = 0; i < done.size(); ++i)
    boost::asio::co_spawn(boost::asio::make_strand(io_),
                          client_->send("POST", url, {}, std::to_string(i), 20s),
                          [&, i](std::exception_ptr, Result<Response> r) {
                            if (r && r->body == std::to_string(i)) ++right;
                            done[i].set_value();
                          });
  for (auto& one : done) one.get_future().get();
  EXPECT_EQ(right, 50);
}

}  // namespace
}  // namespace muhur::http

#include "net/listener.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/strand.hpp>
#include <future>

#include "base/log.hpp"
#include "net/connect.hpp"
#include "net/line_reader.hpp"
#include "net/tls_context.hpp"
#include "net/tls_files.hpp"

namespace muhur::net {
namespace {

Task<void> echo(StreamPtr stream) {
  LineReader reader(*stream);
  while (true) {
    auto line = co_await reader.line(1000);
    if (!line) co_return;
    *line += "\r\n";
    if (!co_await stream->write(as_bytes(*line))) co_return;
  }
}

// The server runs on two threads, the test on its own.
class ListenerTest : public testing::Test {
 protected:
  ListenerTest() {
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { io_.run(); });
  }
  ~ListenerTest() override {
    if (listener_) {
      listener_->stop();
      listener_->close_all();
      listener_.reset();
    }
    work_.reset();
    for (auto& thread : threads_) thread.join();
  }
  void listen(ListenerOptions options, std::string refusal = {}) {
    options.name = "test";
    auto bound = Listener::bind(io_, options, echo, std::move(refusal));
    ASSERT_TRUE(bound) << bound.error().text();
    listener_ = std::move(*bound);
    listener_->start();
  }
  ConnectOptions here() const { return {.host = "127.0.0.1", .port = listener_->port()}; }
  // Runs `task` on a strand and waits for it.
  template <class T>
  T wait_for(Task<T> task) {
    std::promise<T> promise;
    boost::asio::co_spawn(boost::asio::make_strand(io_), std::move(task), [&](std::exception_ptr e, T value) {
      if (e)
        promise.set_exception(e);
      else
        promise.set_value(std::move(value));
    });
    return promise.get_future().get();
  }
  std::string ask(StreamPtr& stream, std::string text) {
    return wait_for([](Stream* s, std::string line) -> Task<std::string> {
      line += "\r\n";
      if (const auto sent = co_await s->write(as_bytes(line)); !sent) co_return "(" + sent.error().what + ")";
      LineReader reader(*s);
      auto got = co_await reader.line(1000);
      co_return got ? *got : "(" + got.error().what + ")";
    }(stream.get(), std::move(text)));
  }
  std::string first_line(StreamPtr& stream) {
    return wait_for([](Stream* s) -> Task<std::string> {
      LineReader reader(*s);
      auto got = co_await reader.line(1000);
      co_return got ? *got : "(" + got.error().what + ")";
    }(stream.get()));
  }

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::vector<std::thread> threads_;
  std::shared_ptr<Listener> listener_;
};

constexpr const char* kClosed = "(the peer closed the connection)";

TEST_F(ListenerTest, ServesManyConnectionsAtOnce) {
  listen({.address = TcpAddress{"127.0.0.1", 0}});
  std::vector<StreamPtr> streams;
  for (int i = 0; i < 50; ++i) streams.push_back(wait_for(connect(here())).value());
  for (auto& stream : streams) EXPECT_EQ(ask(stream, "hello"), "hello");
  EXPECT_EQ(listener_->connections(), 50u);
}

TEST_F(ListenerTest, RefusesOneOverTheCapWithAWord) {
  listen({.address = TcpAddress{"127.0.0.1", 0}, .max_connections = 2}, "* BYE full\r\n");
  auto a = wait_for(connect(here())).value();
  auto b = wait_for(connect(here())).value();
  EXPECT_EQ(ask(a, "1"), "1");
  EXPECT_EQ(ask(b, "2"), "2");
  auto c = wait_for(connect(here())).value();
  EXPECT_EQ(first_line(c), "* BYE full");
  EXPECT_EQ(first_line(c), kClosed);
}

TEST_F(ListenerTest, LoopbackIsNotCountedPerAddress) {
  listen({.address = TcpAddress{"127.0.0.1", 0}, .max_per_address = 1});
  auto a = wait_for(connect(here())).value();
  auto b = wait_for(connect(here())).value();
  EXPECT_EQ(ask(a, "1"), "1");
  EXPECT_EQ(ask(b, "2"), "2");
}

TEST_F(ListenerTest, StopTakesNoMoreAndLetsTheOthersGoOn) {
  listen({.address = TcpAddress{"127.0.0.1", 0}});
  auto a = wait_for(connect(here())).value();
  EXPECT_EQ(ask(a, "1"), "1");
  const auto where = here();
  listener_->stop();
  // The stop is posted; until it is done a connection may still come in.
  while (wait_for(connect(where))) std::this_thread::yield();
  EXPECT_EQ(ask(a, "2"), "2");
  listener_->close_all();
  EXPECT_EQ(first_line(a), kClosed);
  while (listener_->connections() > 0) std::this_thread::yield();
}

// Bug: whoever was connected and not yet accepted when a listener stopped got a reset, perhaps under a
// request.
TEST_F(ListenerTest, StopServesWhoHadConnectedAndWasNotYetAccepted) {
  auto bound = Listener::bind(io_, {.name = "test", .address = TcpAddress{"127.0.0.1", 0}}, echo);
  ASSERT_TRUE(bound);
  listener_ = std::move(*bound);  // not started: they wait in the kernel's queue
  std::vector<StreamPtr> waiting;
  for (int i = 0; i < 20; ++i) waiting.push_back(wait_for(connect(here())).value());
  EXPECT_EQ(listener_->connections(), 0U);
  const auto where = here();
  listener_->stop();
  for (auto& stream : waiting) EXPECT_EQ(ask(stream, "before"), "before");
  EXPECT_FALSE(wait_for(connect(where)));
}

TEST_F(ListenerTest, ASecondListenerOnOneAddressIsAClearError) {
  listen({.address = TcpAddress{"127.0.0.1", 0}});
  const auto second =
      Listener::bind(io_, {.name = "x", .address = TcpAddress{"127.0.0.1", listener_->port()}}, echo);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what.find("in use"), std::string::npos);
  EXPECT_FALSE(second.error().remedy.empty());
  EXPECT_EQ(Listener::bind(io_, {.name = "x", .address = TcpAddress{"localhost", 1}}, echo).error().code,
            Code::invalid);
}

TEST_F(ListenerTest, HearsOnAUnixSocketWithItsModeAndReplacesAStaleOne) {
  const auto path = std::filesystem::temp_directory_path() / ("muhur-" + random_hex(8) + ".sock");
  listen({.address = path, .unix_mode = 0600});
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  auto a = wait_for(connect_unix(path)).value();
  EXPECT_EQ(ask(a, "unix"), "unix");
  EXPECT_FALSE(Listener::bind(io_, {.name = "x", .address = path}, echo));  // it is alive

  // A server that was killed leaves its socket's file.
  const auto stale = std::filesystem::temp_directory_path() / ("muhur-" + random_hex(8) + ".sock");
  {
    boost::asio::io_context other;
    auto dead = Listener::bind(other, {.name = "x", .address = stale}, echo);
    ASSERT_TRUE(dead);
  }
  EXPECT_TRUE(std::filesystem::exists(stale));
  EXPECT_TRUE(Listener::bind(io_, {.name = "x", .address = stale}, echo));
  std::filesystem::remove(stale);
}

TEST_F(ListenerTest, ShakesHandsBeforeServing) {
  const TlsFiles files;
  const auto context = TlsContext::from_files(files.certificate(), files.key()).value();
  const auto trust = TlsClientContext::create(files.certificate()).value();
  listen({.address = TcpAddress{"127.0.0.1", 0},
          .implicit_tls = context.get(),
          .handshake_timeout = std::chrono::milliseconds(50)});
  ConnectOptions options = here();
  options.tls = trust.get();
  auto a = wait_for(connect(options)).value();
  EXPECT_TRUE(a->secure());
  EXPECT_EQ(ask(a, "sealed"), "sealed");
  auto silent = wait_for(connect(here())).value();  // says nothing: dropped at the handshake's deadline
  EXPECT_EQ(first_line(silent), kClosed);
}

TEST_F(ListenerTest, SurvivesRunningOutOfDescriptors) {
  // Accepting again at once on EMFILE would spin; not accepting again ever would be worse.
  listen({.address = TcpAddress{"127.0.0.1", 0}});
  auto a = wait_for(connect(here())).value();
  EXPECT_EQ(ask(a, "1"), "1");
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  // The client's descriptor is made first; under the lowered limit the server has none for its end.
  boost::asio::io_context mine;
  boost::asio::ip::tcp::socket client(mine, boost::asio::ip::tcp::v4());
  const rlimit low{static_cast<rlim_t>(client.native_handle() + 1), limit.rlim_max};
  log::set_level(
      log::Level::off);  // UBSan opens a pipe to look at fmt's objects, and there is none to be had
  setrlimit(RLIMIT_NOFILE, &low);
  boost::system::error_code error;
  client.connect({boost::asio::ip::make_address("127.0.0.1"), listener_->port()}, error);
  EXPECT_FALSE(error);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(ask(a, "still here"), "still here");
  setrlimit(RLIMIT_NOFILE, &limit);
  log::set_level(log::Level::info);
  auto waiting = StreamPtr(std::make_unique<TcpStream>(Socket(std::move(client))));
  boost::asio::co_spawn(
      mine,
      [&]() -> Task<void> {
        EXPECT_TRUE(co_await waiting->write(as_bytes("later\r\n")));
        LineReader reader(*waiting);
        EXPECT_EQ((co_await reader.line(100)).value(), "later");
      },
      boost::asio::detached);
  mine.run();
}

}  // namespace
}  // namespace muhur::net

// TcpStream over a socket pair: reading, writing, deadlines, closing.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/line_reader.hpp"
#include "net/run.hpp"
#include "net/tcp_stream.hpp"

namespace muhur::net {
namespace {

class StreamTest : public testing::Test {
 protected:
  StreamTest() {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) std::abort();
    const boost::asio::generic::stream_protocol protocol(AF_UNIX, 0);
    a_ = std::make_unique<TcpStream>(Socket(io_, protocol, fds[0]));
    b_ = std::make_unique<TcpStream>(Socket(io_, protocol, fds[1]));
  }
  Task<Result<std::size_t>> read(TcpStream& stream) {
    static Byte room[4096];
    return stream.read_some(room);
  }
  boost::asio::io_context io_;
  std::unique_ptr<TcpStream> a_, b_;
};

TEST_F(StreamTest, CarriesBytesBothWays) {
  run(io_, [&]() -> Task<void> {
    EXPECT_TRUE(co_await a_->write(as_bytes("hello\r\n")));
    LineReader reader(*b_);
    EXPECT_EQ((co_await reader.line(10)).value(), "hello");
    EXPECT_TRUE(co_await b_->write(as_bytes("back\r\n")));
    LineReader other(*a_);
    EXPECT_EQ((co_await other.line(10)).value(), "back");
    EXPECT_TRUE(a_->peer().loopback);
    EXPECT_EQ(a_->peer().address, "unix");
    EXPECT_FALSE(a_->secure());
  }());
}

TEST_F(StreamTest, AReadTimesOutWhenThePeerIsSilent) {
  run(io_, [&]() -> Task<void> {
    a_->expires_after(std::chrono::milliseconds(20));
    EXPECT_EQ((co_await read(*a_)).error().code, Code::timed_out);
    EXPECT_EQ((co_await read(*a_)).error().code, Code::timed_out);
    a_->expires_after(std::chrono::hours(1));  // a server that timed out still says goodbye
    EXPECT_TRUE(co_await a_->write(as_bytes("* BYE\r\n")));
    EXPECT_EQ((co_await read(*b_)).value(), 7u);
  }());
}

TEST_F(StreamTest, AWriteTimesOutWhenThePeerStopsReadingAndNothingFollowsIt) {
  run(io_, [&]() -> Task<void> {
    const std::string much(8 << 20, 'x');
    a_->expires_after(std::chrono::milliseconds(20));
    EXPECT_EQ((co_await a_->write(as_bytes(much))).error().code, Code::timed_out);
    a_->expires_after(std::chrono::hours(1));
    EXPECT_EQ((co_await a_->write(as_bytes("garbage"))).error().code, Code::closed);
  }());
}

TEST_F(StreamTest, ADeadlineHoldsAgainstAPeerThatDripsBytes) {
  // A peer that always has a byte ready never makes the stream wait: the deadline has to hold all the same.
  run(io_, [&]() -> Task<void> {
    EXPECT_TRUE(co_await b_->write(as_bytes(std::string(2000, 'd'))));
    a_->expires_after(std::chrono::milliseconds(0));
    Byte one;
    EXPECT_EQ((co_await a_->read_some({&one, 1})).error().code, Code::timed_out);
  }());
}

TEST_F(StreamTest, ADeadlineCanBeMovedOutWhileAReadWaits) {
  run(io_, [&]() -> Task<void> {
    a_->expires_after(std::chrono::milliseconds(10));
    boost::asio::co_spawn(
        io_,
        [&]() -> Task<void> {
          a_->expires_after(std::chrono::hours(1));
          boost::system::error_code ignored;
          boost::asio::steady_timer pause(io_, std::chrono::milliseconds(50));
          co_await pause.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
          EXPECT_TRUE(co_await b_->write(as_bytes("late")));
        },
        boost::asio::detached);
    EXPECT_EQ((co_await read(*a_)).value(), 4u);
  }());
}

TEST_F(StreamTest, CloseEndsAReadUnderWayWithClosed) {
  run(io_, [&]() -> Task<void> {
    boost::asio::co_spawn(
        io_,
        [&]() -> Task<void> {
          a_->closer()();
          co_return;
        },
        boost::asio::detached);
    EXPECT_EQ((co_await read(*a_)).error().code, Code::closed);
    EXPECT_EQ((co_await a_->write(as_bytes("x"))).error().code, Code::closed);
    EXPECT_EQ((co_await read(*b_)).error().code, Code::closed);
    EXPECT_EQ((co_await b_->write(as_bytes("x"))).error().code, Code::closed);  // no SIGPIPE either
  }());
}

TEST_F(StreamTest, AStreamMayGoWhileAReadWaits) {
  // The read resumed in freed memory.
  run(io_, [&]() -> Task<void> {
    boost::asio::co_spawn(
        io_,
        [&]() -> Task<void> {
          co_await boost::asio::post(io_, boost::asio::use_awaitable);  // the read begins first
          a_.reset();
        },
        boost::asio::detached);
    EXPECT_EQ((co_await read(*a_)).error().code, Code::closed);
  }());
}

TEST_F(StreamTest, ACloserOutlivesItsStream) {
  auto close = a_->closer();
  a_.reset();
  close();
  io_.run();
}

TEST_F(StreamTest, TheLastReplyArrivesThoughThePeersBytesWereNotRead) {
  run(io_, [&]() -> Task<void> {
    EXPECT_TRUE(co_await b_->write(as_bytes(std::string(50'000, 'p'))));
    EXPECT_TRUE(co_await a_->write(as_bytes("421 bye\r\n")));
    co_await a_->shutdown();
    EXPECT_EQ((co_await read(*b_)).value(), 9u);
    EXPECT_EQ((co_await read(*b_)).error().code, Code::closed);
  }());
}

TEST_F(StreamTest, ReadsAndWritesAtTheSameTime) {
  run(io_, [&]() -> Task<void> {
    const std::string much(4 << 20, 'm');
    auto send = [&](TcpStream& stream) -> Task<void> { EXPECT_TRUE(co_await stream.write(as_bytes(much))); };
    boost::asio::co_spawn(io_, send(*a_), boost::asio::detached);
    boost::asio::co_spawn(io_, send(*b_), boost::asio::detached);
    std::size_t at_a = 0, at_b = 0;
    while (at_a < much.size() || at_b < much.size()) {
      if (at_a <= at_b && at_a < much.size())
        at_a += (co_await read(*a_)).value();
      else
        at_b += (co_await read(*b_)).value();
    }
    EXPECT_EQ(at_a + at_b, 2 * much.size());
  }());
}

}  // namespace
}  // namespace muhur::net

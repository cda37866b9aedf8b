#include "net/pools.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>

#include "net/run.hpp"

namespace muhur::net {
namespace {

TEST(PoolTest, RunsOnAThreadOfThePoolAndComesBack) {
  boost::asio::io_context io;
  Pool pool("storage", 2);
  run(io, [&]() -> Task<void> {
    const auto here = std::this_thread::get_id();
    const std::string suffix = "b";
    const std::string got = co_await on(pool, [&] {
      EXPECT_NE(std::this_thread::get_id(), here);
      return "a" + suffix;
    });
    EXPECT_EQ(got, "ab");
    EXPECT_EQ(std::this_thread::get_id(), here);
    bool ran = false;
    co_await on(pool, [&] { ran = true; });
    EXPECT_TRUE(ran);
  }());
}

TEST(PoolTest, ReturnsWhatOnlyMoves) {
  boost::asio::io_context io;
  Pool pool("storage", 1);
  run(io, [&]() -> Task<void> {
    const auto got = co_await on(pool, [] { return Result<std::unique_ptr<int>>(std::make_unique<int>(7)); });
    EXPECT_EQ(**got, 7);
  }());
}

TEST(PoolTest, RethrowsWhereItWasCalled) {
  boost::asio::io_context io;
  Pool pool("storage", 1);
  run(io, [&]() -> Task<void> {
    std::string caught;
    try {
      co_await on(pool, [] { throw std::runtime_error("from the pool"); });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    EXPECT_EQ(caught, "from the pool");
  }());
}

TEST(PoolTest, KeepsTheIoContextAliveWhileACoroutineIsAway) {
  boost::asio::io_context io;
  Pool pool("storage", 4);
  std::atomic<int> done = 0;
  for (int i = 0; i < 200; ++i)
    boost::asio::co_spawn(
        boost::asio::make_strand(io),
        [&]() -> Task<void> {
          for (int j = 0; j < 5; ++j) co_await on(pool, [&] { std::this_thread::yield(); });
          ++done;
        },
        boost::asio::detached);
  std::thread other([&] { io.run(); });
  io.run();
  other.join();
  EXPECT_EQ(done, 200);
}

TEST(PoolTest, ItsThreadsHaveTheirNiceness) {
  std::atomic<int> nice = -100;
  {
    Pool("slow", 1, 7).post([&] { nice = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); });
  }
  EXPECT_EQ(nice, getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())) + 7);
}

TEST(PoolTest, RunsEverythingThatWasPostedBeforeItGoes) {
  std::atomic<int> count = 0;
  {
    Pool pool("p", 1);
    for (int i = 0; i < 100; ++i) pool.post([&] { ++count; });
  }
  EXPECT_EQ(count, 100);
}

}  // namespace
}  // namespace muhur::net

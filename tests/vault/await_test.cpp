#include "vault/await.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "fixture.hpp"

namespace muhur::vault {
namespace {

class AwaitTest : public VaultTest {
 protected:
  template <class Coroutine>
  void run(Coroutine coroutine) {
    boost::asio::co_spawn(io_, std::move(coroutine), [](const std::exception_ptr& error) {
      if (error) std::rethrow_exception(error);
    });
    io_.run();
  }
  Executor storage() {
    return [this](std::function<void()> job) { boost::asio::post(pool_, std::move(job)); };
  }
  boost::asio::io_context io_;  // outlives the threads that post to it
  boost::asio::thread_pool pool_{2};
};

TEST_F(AwaitTest, ACoroutineWritesReadsAndGoesOnUponItsOwnThread) {
  const auto db = open_database();
  const auto self = std::this_thread::get_id();
  bool done = false;
  run([&]() -> boost::asio::awaitable<void> {
    const std::string text = "local of the coroutine";
    const auto id = co_await write(*db, [&](Connection& c) -> Result<std::int64_t> {
      MUHUR_CHECK(insert(c, text));
      return c.last_insert_id();
    });
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_EQ(id, 1);
    const auto n =
        co_await read(*db, storage(), [](Connection& c) -> Result<std::int64_t> { return count(c); });
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_EQ(n, 1);
    const auto twice = co_await write(*db, [&](Connection& c) { return insert(c, text); });
    EXPECT_TRUE(fails_with(Code::exists, twice));
    done = true;
  });
  EXPECT_TRUE(done);
}

TEST_F(AwaitTest, ManyCoroutinesShareCommits) {
  const auto db = open_database();
  int done = 0;
  for (int i = 0; i < 200; ++i)
    boost::asio::co_spawn(
        io_,
        [&, i]() -> boost::asio::awaitable<void> {
          const std::string text = std::to_string(i);
          const auto written = co_await write(*db, [&](Connection& c) { return insert(c, text); });
          EXPECT_TRUE(ok(written));
          ++done;
        },
        [](const std::exception_ptr&) {});
  io_.run();
  EXPECT_EQ(done, 200);
  EXPECT_EQ(db->figures().works, 200U);
  EXPECT_LT(db->figures().commits, 200U);
}

TEST_F(AwaitTest, AReadThatThrowsIsAnError) {
  const auto db = open_database();
  run([&]() -> boost::asio::awaitable<void> {
    const auto thrown =
        co_await read(*db, storage(), [](Connection&) -> Result<int> { throw std::runtime_error("oops"); });
    EXPECT_TRUE(fails_with(Code::internal, thrown));
  });
}

}  // namespace
}  // namespace muhur::vault

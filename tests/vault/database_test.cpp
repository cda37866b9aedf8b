#include "vault/database.hpp"

#include <deque>
#include <future>
#include <latch>
#include <thread>

#include "fixture.hpp"
#include "vault/transaction.hpp"

namespace muhur::vault {
namespace {

using DatabaseTest = VaultTest;

// An executor with a fixed number of threads, as the server's storage pool is.
class FixedPool {
 public:
  explicit FixedPool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~FixedPool() {
    {
      const Lock lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void post(std::function<void()> job) {
    {
      const Lock lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    Lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] MUHUR_NO_TSA { return !jobs_.empty() || ending_; });
      if (jobs_.empty()) return;
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
  }
  Mutex mutex_;
  Condition changed_;
  std::deque<std::function<void()>> jobs_ MUHUR_GUARDED_BY(mutex_);
  bool ending_ MUHUR_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

TEST_F(DatabaseTest, WritesAreReadBack) {
  const auto db = open_database();
  const auto id = db->write([](Connection& c) -> Result<std::int64_t> {
    MUHUR_CHECK(insert(c, "a"));
    return c.last_insert_id();
  });
  ASSERT_TRUE(ok(id));
  EXPECT_EQ(db->read([&](Connection& c) -> Result<std::string> {
    return c.query_text("SELECT text FROM item WHERE id = 1");
  }),
            "a");
}

TEST_F(DatabaseTest, ManyWaitingWorksShareOneCommit) {
  const auto db = open_database();
  std::promise<void> gate;
  std::latch done(101);
  const auto finish = [&](const Result<void>& result) {
    EXPECT_TRUE(ok(result));
    done.count_down();
  };
  std::promise<void> begun;
  db->write_async(
      [&](Connection& c) {
        begun.set_value();
        gate.get_future().wait();
        return insert(c, "first");
      },
      finish);
  begun.get_future().wait();
  for (int i = 0; i < 100; ++i)
    db->write_async([i](Connection& c) { return insert(c, std::to_string(i)); }, finish);
  gate.set_value();
  done.wait();
  EXPECT_EQ(db->figures().works, 101U);
  EXPECT_EQ(db->figures().commits, 2U);
}

TEST_F(DatabaseTest, AGroupIsNoLargerThanItsLimit) {
  auto with = database_options();
  with.max_group = 10;
  std::vector<std::function<void()>> held;
  with.executor = [&](std::function<void()> job) { held.push_back(std::move(job)); };
  const auto db = open_database(std::move(with));
  int done = 0;
  for (int i = 0; i < 35; ++i)
    db->write_async([i](Connection& c) { return insert(c, std::to_string(i)); },
                    [&](const Result<void>& result) { done += result.has_value(); });
  ASSERT_EQ(held.size(), 1U);
  held[0]();
  EXPECT_EQ(done, 35);
  EXPECT_EQ(db->figures().commits, 4U);
}

TEST_F(DatabaseTest, WorksKeepTheOrderInWhichTheyWereHandedIn) {
  std::vector<int> order;
  {
    const auto db = open_database();
    for (int i = 0; i < 500; ++i)
      db->write_async(
          [&order, i](Connection&) -> Result<void> {
            order.push_back(i);
            return {};
          },
          [](const Result<void>&) {});
  }
  ASSERT_EQ(order.size(), 500U);
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST_F(DatabaseTest, BlockedWritersOnEveryThreadOfThePoolDoNotDeadlock) {
  FixedPool pool(4);
  auto with = database_options();
  with.executor = [&](std::function<void()> job) { pool.post(std::move(job)); };
  const auto db = open_database(std::move(with));
  constexpr int kJobs = 400;
  std::latch done(2 * kJobs);
  for (int i = 0; i < kJobs; ++i) {
    db->write_async([i](Connection& c) { return insert(c, "async" + std::to_string(i)); },
                    [&](const Result<void>& result) {
                      EXPECT_TRUE(ok(result));
                      done.count_down();
                    });
    pool.post([&, i] {
      EXPECT_TRUE(ok(db->write([i](Connection& c) { return insert(c, "sync" + std::to_string(i)); })));
      done.count_down();
    });
  }
  done.wait();
  EXPECT_EQ(db->read([](Connection& c) -> Result<std::int64_t> { return count(c); }), 2 * kJobs);
  EXPECT_EQ(db->figures().works, 2U * kJobs);
}

TEST_F(DatabaseTest, ConcurrentWritersGetFewerCommitsThanWorks) {
  const auto db = open_database();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i)
        EXPECT_TRUE(ok(db->write(
            [&](Connection& c) { return insert(c, std::to_string(t) + "/" + std::to_string(i)); })));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(db->figures().works, 400U);
  EXPECT_LT(db->figures().commits, 400U);
}

TEST_F(DatabaseTest, AReaderSeesItsSnapshotWhileTheWriterCommits) {
  const auto db = open_database();
  ASSERT_TRUE(ok(db->write([](Connection& c) { return insert(c, "a"); })));
  auto lease = db->borrow();
  ASSERT_TRUE(ok(lease));
  EXPECT_EQ(count(**lease), 1);
  ASSERT_TRUE(ok(db->write([](Connection& c) { return insert(c, "b"); })));
  EXPECT_EQ(count(**lease), 1);
  EXPECT_EQ(db->read([](Connection& c) -> Result<std::int64_t> { return count(c); }), 2);
}

TEST_F(DatabaseTest, AReaderCannotWrite) {
  const auto db = open_database();
  EXPECT_FALSE(db->read([](Connection& c) { return insert(c, "a"); }));
  EXPECT_TRUE(ok(db->write([](Connection& c) { return insert(c, "a"); })));
}

TEST_F(DatabaseTest, ReadersAreBoundedAndAWaiterIsToldWhenNoneComes) {
  auto with = database_options();
  with.max_readers = 1;
  with.open.profile.busy_timeout_ms = 1;
  const auto db = open_database(std::move(with));
  std::optional<Result<Database::Lease>> first(db->borrow());
  ASSERT_TRUE(ok(*first));
  EXPECT_TRUE(fails_with(Code::busy, db->borrow()));
  first.reset();
  EXPECT_TRUE(ok(db->borrow()));
}

TEST_F(DatabaseTest, ConcurrentReadersAndAWriterAgree) {
  const auto db = open_database();
  std::atomic<bool> stop{false};
  std::vector<std::thread> readers;
  for (int t = 0; t < 4; ++t)
    readers.emplace_back([&] {
      std::int64_t last = 0;
      while (!stop) {
        const auto seen = db->read([](Connection& c) -> Result<std::int64_t> { return count(c); });
        EXPECT_TRUE(ok(seen));
        EXPECT_GE(*seen, last);
        last = *seen;
      }
    });
  for (int i = 0; i < 200; ++i)
    EXPECT_TRUE(ok(db->write([i](Connection& c) { return insert(c, std::to_string(i)); })));
  stop = true;
  for (auto& reader : readers) reader.join();
}

TEST_F(DatabaseTest, IdleReadersAreClosedAndOpenedAgain) {
  const auto db = open_database();
  ASSERT_TRUE(ok(db->borrow()));
  EXPECT_EQ(db->close_idle_readers(Millis(0)), 1U);
  EXPECT_EQ(db->close_idle_readers(Millis(0)), 0U);
  EXPECT_TRUE(ok(db->borrow()));
}

TEST_F(DatabaseTest, LeavesOneFileBehindWhenItCloses) {
  open_database().reset();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory_))
    names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::ElementsAre("test.db"));
}

TEST_F(DatabaseTest, IsRefusedWhereItDoesNotExistAndMayNotBeMade) {
  DatabaseOptions with{.open = options(OpenMode::read_write)};
  EXPECT_TRUE(fails_with(Code::not_found, Database::open(std::move(with))));
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

// A completion may hold the last reference: the writer then closes itself on its way out.
TEST_F(DatabaseTest, MayBeDroppedByACompletionOnItsOwnThread) {
  std::promise<void> gone;
  std::weak_ptr<Database> weak;
  {
    auto db = open_database();
    weak = db;
    struct Last {
      std::shared_ptr<Database> db;
      std::promise<void>* gone;
      ~Last() {
        db.reset();
        gone->set_value();
      }
    };
    auto last = std::make_shared<Last>(db, &gone);
    std::promise<void> go;
    auto going = std::make_shared<std::future<void>>(go.get_future());
    db->write_async(
        [going](Connection& c) {
          going->wait();
          return insert(c, "a");
        },
        [last](const Result<void>&) {});
    last.reset();
    db.reset();
    go.set_value();
  }
  gone.get_future().wait();
  EXPECT_TRUE(weak.expired());
  while (std::filesystem::exists(file("test.db-lock"))) std::this_thread::yield();
  EXPECT_EQ(count(*open_database()->borrow().value()), 1);
}

TEST_F(DatabaseTest, SlowStatementsAreNotedByTheirText) {
  auto with = database_options();
  with.open.slow = std::make_shared<SlowStatements>(std::chrono::microseconds(0));
  const auto db = open_database(std::move(with));
  ASSERT_TRUE(ok(db->write([](Connection& c) { return insert(c, "private value"); })));
  const auto worst = db->slow_statements().worst_first();
  ASSERT_FALSE(worst.empty());
  for (const auto& statement : worst) EXPECT_THAT(statement.sql, testing::Not(testing::HasSubstr("private")));
  EXPECT_TRUE(std::ranges::is_sorted(worst, std::greater{}, &SlowStatement::worst));
}

}  // namespace
}  // namespace muhur::vault

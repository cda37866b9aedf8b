#include "vault/transaction.hpp"

#include "fixture.hpp"

namespace muhur::vault {
namespace {

class TransactionTest : public VaultTest {
 protected:
  TransactionTest() { EXPECT_TRUE(ok(db_->exec(kItems[0].sql))); }
  std::unique_ptr<Connection> db_ = connect();
};

TEST_F(TransactionTest, IsRolledBackUnlessCommitted) {
  {
    auto transaction = Transaction::begin(*db_);
    ASSERT_TRUE(ok(transaction));
    ASSERT_TRUE(ok(insert(*db_, "a")));
    EXPECT_TRUE(db_->in_transaction());
  }
  EXPECT_FALSE(db_->in_transaction());
  EXPECT_EQ(count(*db_), 0);
}

TEST_F(TransactionTest, KeepsWhatWasCommitted) {
  auto transaction = *Transaction::begin(*db_);
  ASSERT_TRUE(ok(insert(*db_, "a")));
  ASSERT_TRUE(ok(transaction.commit()));
  EXPECT_FALSE(db_->in_transaction());
  EXPECT_EQ(count(*db_), 1);
}

TEST_F(TransactionTest, TakesTheWriteLockAtOnce) {
  auto transaction = *Transaction::begin(*db_);
  OpenOptions impatient = options(OpenMode::read_write);
  impatient.profile.busy_timeout_ms = 0;
  auto other = Connection::open(impatient);
  ASSERT_TRUE(ok(other));
  EXPECT_TRUE(fails_with(Code::busy, Transaction::begin(**other)));
}

TEST_F(TransactionTest, AReadTransactionSeesOneSnapshot) {
  const auto reader = connect(OpenMode::read_write);
  auto snapshot = *Transaction::begin_read(*reader);
  EXPECT_EQ(count(*reader), 0);
  ASSERT_TRUE(ok(insert(*db_, "a")));
  EXPECT_EQ(count(*reader), 0);
  ASSERT_TRUE(ok(snapshot.commit()));
  EXPECT_EQ(count(*reader), 1);
}

TEST_F(TransactionTest, AReadTransactionJoinsTheOneThatIsOpen) {
  auto outer = *Transaction::begin(*db_);
  {
    auto inner = Transaction::begin_read(*db_);
    ASSERT_TRUE(ok(inner));
  }
  EXPECT_TRUE(db_->in_transaction());
}

TEST_F(TransactionTest, ASavepointIsUndoneAlone) {
  auto transaction = *Transaction::begin(*db_);
  ASSERT_TRUE(ok(insert(*db_, "kept")));
  {
    auto savepoint = *Savepoint::begin(*db_);
    ASSERT_TRUE(ok(insert(*db_, "undone")));
  }
  ASSERT_TRUE(ok(transaction.commit()));
  EXPECT_EQ(db_->query_text("SELECT group_concat(text) FROM item"), "kept");
}

TEST_F(TransactionTest, SavepointsNest) {
  auto transaction = *Transaction::begin(*db_);
  {
    auto outer = *Savepoint::begin(*db_);
    ASSERT_TRUE(ok(insert(*db_, "outer")));
    {
      auto inner = *Savepoint::begin(*db_);
      ASSERT_TRUE(ok(insert(*db_, "inner")));
    }
    {
      auto released = *Savepoint::begin(*db_);
      ASSERT_TRUE(ok(insert(*db_, "released")));
      ASSERT_TRUE(ok(released.release()));
    }
    ASSERT_TRUE(ok(outer.release()));
  }
  ASSERT_TRUE(ok(transaction.commit()));
  EXPECT_EQ(db_->query_text("SELECT group_concat(text) FROM item"), "outer,released");
}

TEST_F(TransactionTest, SurvivesThatSqliteGaveUpTheTransactionItself) {
  ASSERT_TRUE(ok(db_->exec("PRAGMA max_page_count=20")));
  {
    auto transaction = *Transaction::begin(*db_);
    auto savepoint = *Savepoint::begin(*db_);
    const std::string large(1'000'000, 'x');
    EXPECT_TRUE(fails_with(Code::no_space, insert(*db_, large)));
  }
  EXPECT_FALSE(db_->in_transaction());
  EXPECT_TRUE(ok(insert(*db_, "small")));
}

}  // namespace
}  // namespace muhur::vault

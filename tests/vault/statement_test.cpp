#include "vault/statement.hpp"

#include <limits>

#include "fixture.hpp"

namespace muhur::vault {
namespace {

class StatementTest : public VaultTest {
 protected:
  std::unique_ptr<Connection> db_ = connect();
};

TEST_F(StatementTest, BringsBackWhatWasBound) {
  enum class Colour : int { red = 3 };
  const std::string text = "mühür";
  const Bytes bytes{0, 255, 7};
  auto st = *db_->prepare("SELECT ?, ?, ?, ?, ?, ?, ?");
  st.bind(std::numeric_limits<std::int64_t>::min(), 2.5, text, bytes, nullptr, Colour::red,
          std::optional<int>());
  ASSERT_EQ(st.step(), true);
  EXPECT_EQ(st.int64(0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(st.real(1), 2.5);
  EXPECT_EQ(st.text(2), text);
  EXPECT_TRUE(std::ranges::equal(st.blob(3), bytes));
  EXPECT_TRUE(st.is_null(4));
  EXPECT_EQ(st.as<Colour>(5), Colour::red);
  EXPECT_TRUE(st.is_null(6));
  EXPECT_EQ(st.step(), false);
}

TEST_F(StatementTest, BindsEmptyTextAndBytesAsEmptyAndNotAsNull) {
  auto st = *db_->prepare("SELECT typeof(?), typeof(?)");
  st.bind(std::string_view(), ByteView());
  ASSERT_EQ(st.step(), true);
  EXPECT_EQ(st.text(0), "text");
  EXPECT_EQ(st.text(1), "blob");
}

TEST_F(StatementTest, KeepsNulBytesInsideText) {
  const std::string_view text("a\0b", 3);
  auto st = *db_->prepare("SELECT ?");
  ASSERT_EQ(st.bind(text).step(), true);
  EXPECT_EQ(st.text(0), text);
}

TEST_F(StatementTest, ReportsTooManyParametersAtTheNextStep) {
  auto st = *db_->prepare("SELECT ?");
  EXPECT_FALSE(st.bind(1, 2).step());
}

TEST_F(StatementTest, IsReadyForNewBindingsOnceItHasEnded) {
  ASSERT_TRUE(ok(db_->exec("CREATE TABLE t(a)")));
  auto st = *db_->prepare("INSERT INTO t VALUES(?)");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(ok(st.bind(i).run()));
  EXPECT_EQ(db_->query_int("SELECT sum(a) FROM t"), 3);
}

TEST_F(StatementTest, CountsTheRowsThatItChanged) {
  ASSERT_TRUE(ok(db_->exec("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2),(3)")));
  auto st = *db_->prepare("DELETE FROM t WHERE a > ?");
  EXPECT_EQ(st.bind(1).run_counted(), 2);
  EXPECT_EQ(st.bind(1).run_counted(), 0);
}

TEST_F(StatementTest, ForgetsItsBindingsWhenItGoesBackToTheCache) {
  {
    ASSERT_EQ((*db_->prepare("SELECT ?")).bind(5).step(), true);
  }
  auto again = *db_->prepare("SELECT ?");
  ASSERT_EQ(again.step(), true);
  EXPECT_TRUE(again.is_null(0));
}

TEST_F(StatementTest, TheSameTextMayBeUsedInsideItself) {
  auto outer = *db_->prepare("SELECT ? UNION ALL SELECT 0");
  ASSERT_EQ(outer.bind(1).step(), true);
  {
    auto inner = *db_->prepare("SELECT ? UNION ALL SELECT 0");
    ASSERT_EQ(inner.bind(2).step(), true);
    EXPECT_EQ(inner.int64(0), 2);
  }
  EXPECT_EQ(outer.int64(0), 1);
  EXPECT_EQ(outer.step(), true);
  EXPECT_EQ(outer.step(), false);
}

TEST_F(StatementTest, ManyMoreTextsThanTheCacheHoldsStillWork) {
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 500; ++i) ASSERT_EQ(db_->query_int("SELECT " + std::to_string(i)), i);
}

TEST_F(StatementTest, SurvivesAChangeOfTheSchemaUnderneath) {
  ASSERT_TRUE(ok(db_->exec("CREATE TABLE t(a); INSERT INTO t VALUES(1)")));
  EXPECT_EQ(db_->query_int("SELECT count(*) FROM t"), 1);
  ASSERT_TRUE(ok(db_->exec("ALTER TABLE t ADD COLUMN b; INSERT INTO t VALUES(2, 3)")));
  EXPECT_EQ(db_->query_int("SELECT count(*) FROM t"), 2);
}

TEST_F(StatementTest, AStatementInTheMiddleOfItsRowsDoesNotHoldUpACommitAfterItWentBack) {
  ASSERT_TRUE(ok(db_->exec("CREATE TABLE t(a); INSERT INTO t VALUES(1),(2)")));
  {
    auto st = *db_->prepare("SELECT a FROM t");
    ASSERT_EQ(st.step(), true);
  }
  EXPECT_TRUE(ok(db_->exec("DROP TABLE t")));
}

}  // namespace
}  // namespace muhur::vault

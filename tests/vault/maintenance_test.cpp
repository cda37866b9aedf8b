#include "vault/maintenance.hpp"

#include "fixture.hpp"
#include "vault/statistics.hpp"

namespace muhur::vault {
namespace {

class MaintenanceTest : public VaultTest {
 protected:
  void fill(Database& db, int rows) {
    ASSERT_TRUE(ok(db.write([&](Connection& c) -> Result<void> {
      for (int i = 0; i < rows; ++i) MUHUR_CHECK(insert(c, std::to_string(i) + std::string(3000, 'x')));
      return {};
    })));
  }
  void empty(Database& db) {
    ASSERT_TRUE(ok(db.write([](Connection& c) { return c.run("DELETE FROM item"); })));
  }
  FileFigures file_of(Database& db) {
    const auto figures = figures_of(db);
    EXPECT_TRUE(ok(figures));
    return figures ? figures->file : FileFigures{};
  }
};

TEST_F(MaintenanceTest, ReclaimGivesFreePagesBackInBoundedSteps) {
  const auto db = open_database();
  fill(*db, 300);
  empty(*db);
  const auto before = file_of(*db);
  ASSERT_GT(before.freelist_count, 200U);
  const auto step = reclaim(*db, 50);
  ASSERT_TRUE(ok(step));
  EXPECT_GE(step->pages_freed, 50U);
  EXPECT_LT(step->pages_freed, 60U);  // pointer maps that became empty go too
  EXPECT_EQ(file_of(*db).page_count, before.page_count - step->pages_freed);
  while (true) {
    const auto next = reclaim(*db, 1000);
    ASSERT_TRUE(ok(next));
    if (next->pages_freed == 0) break;
  }
  EXPECT_EQ(file_of(*db).freelist_count, 0U);
}

TEST_F(MaintenanceTest, ReclaimLeavesAFileWithoutIncrementalVacuumAlone) {
  auto with = database_options();
  with.open.profile.auto_vacuum = AutoVacuum::none;
  const auto db = open_database(std::move(with));
  fill(*db, 50);
  empty(*db);
  const auto step = reclaim(*db);
  ASSERT_TRUE(ok(step));
  EXPECT_EQ(step->pages_freed, 0U);
  EXPECT_GT(step->pages_left, 0U);
}

TEST_F(MaintenanceTest, CheckpointEmptiesTheWalWhenIdle) {
  const auto db = open_database();
  fill(*db, 20);
  ASSERT_GT(file_of(*db).wal_bytes, 0U);
  EXPECT_EQ(db->last_checkpoint().at_ms, 0);
  const auto done = checkpoint(*db, true);
  ASSERT_TRUE(ok(done));
  EXPECT_TRUE(done->complete);
  EXPECT_EQ(done->mode, CheckpointMode::truncate);
  EXPECT_EQ(done->wal_bytes_after, 0U);
  EXPECT_TRUE(db->last_checkpoint().complete);
  EXPECT_GT(db->last_checkpoint().at_ms, 0);
}

TEST_F(MaintenanceTest, CheckpointOfABusyDatabaseMovesFramesAndWaitsForNobody) {
  const auto db = open_database();
  fill(*db, 5);
  auto lease = db->borrow();
  ASSERT_TRUE(ok(lease));
  ASSERT_EQ(count(**lease), 5);
  fill(*db, 0);
  ASSERT_TRUE(ok(db->write([](Connection& c) { return insert(c, "after the snapshot"); })));
  const auto done = checkpoint(*db, false);
  ASSERT_TRUE(ok(done));
  EXPECT_EQ(done->mode, CheckpointMode::passive);
  EXPECT_FALSE(done->complete);
  EXPECT_LT(done->moved, done->frames);
  EXPECT_EQ(count(**lease), 5);
}

TEST_F(MaintenanceTest, AWalBeyondItsCapIsTruncatedThoughNotIdle) {
  const auto db = open_database();
  fill(*db, 20);
  const auto done = checkpoint(*db, false, 1000);
  ASSERT_TRUE(ok(done));
  EXPECT_EQ(done->mode, CheckpointMode::truncate);
  EXPECT_EQ(done->wal_bytes_after, 0U);
}

TEST_F(MaintenanceTest, VacuumsOnlyWhatIsMoreThanAQuarterHoles) {
  const auto db = open_database();
  fill(*db, 200);
  const auto full = vacuum(*db);
  ASSERT_TRUE(ok(full));
  EXPECT_FALSE(full->done);
  EXPECT_THAT(full->why_not, testing::HasSubstr("25 %"));
  empty(*db);
  EXPECT_GT(file_of(*db).fragmentation(), 25.0);
  const auto holes = vacuum(*db);
  ASSERT_TRUE(ok(holes));
  EXPECT_TRUE(holes->done);
  EXPECT_LT(holes->bytes_after, holes->bytes_before / 4);
  EXPECT_EQ(file_of(*db).freelist_count, 0U);
}

TEST_F(MaintenanceTest, VacuumSeesReadersThroughToTheEndOfTheirSnapshot) {
  const auto db = open_database();
  fill(*db, 100);
  auto lease = db->borrow();
  ASSERT_TRUE(ok(lease));
  ASSERT_EQ(count(**lease), 100);
  empty(*db);
  ASSERT_TRUE(ok(vacuum(*db)));
  EXPECT_EQ(count(**lease), 100);
}

TEST_F(MaintenanceTest, OptimizeRunsAndCountsWhatItAnalyzed) {
  const auto db = open_database();
  EXPECT_TRUE(ok(db->write([](Connection& c) {
    return c.exec("CREATE TABLE m(a, b); CREATE INDEX ma ON m(a); INSERT INTO m VALUES(1, 2); ANALYZE");
  })));
  ASSERT_TRUE(ok(db->write([](Connection& c) {
    return c.exec(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        "INSERT INTO m SELECT i, i FROM n; SELECT * FROM m WHERE a = 1 AND b > 0");
  })));
  const auto done = optimize(*db);
  ASSERT_TRUE(ok(done));
  const auto rows = db->read([](Connection& c) { return c.query_text("SELECT stat FROM sqlite_stat1"); });
  ASSERT_TRUE(ok(rows));
  EXPECT_EQ(done->tables_analyzed > 0, !rows->starts_with("1 "));
}

TEST_F(MaintenanceTest, ASumIsTheSumOfItsParts) {
  const auto db = open_database();
  fill(*db, 20);
  const auto one = figures_of(*db);
  ASSERT_TRUE(ok(one));
  EXPECT_EQ(one->file.page_size, 4096U);
  EXPECT_GT(one->file.size_mib(), 0.0);
  const std::array both{*one, *one};
  const auto total = sum(both);
  EXPECT_EQ(total.file.page_count, 2 * one->file.page_count);
  EXPECT_EQ(total.writer.works, 2 * one->writer.works);
}

TEST_F(MaintenanceTest, TheSlowestStatementsComeWithTheirPlan) {
  auto with = database_options();
  with.open.slow = std::make_shared<SlowStatements>(std::chrono::microseconds(0));
  const auto db = open_database(std::move(with));
  ASSERT_TRUE(
      ok(db->read([](Connection& c) { return c.query_int("SELECT count(*) FROM item WHERE id > 1"); })));
  const auto plans = slowest(*db, 50);
  ASSERT_TRUE(ok(plans));
  const auto at = std::ranges::find(*plans, "SELECT count(*) FROM item WHERE id > 1",
                                    [](const Plan& plan) { return plan.statement.sql; });
  ASSERT_NE(at, plans->end());
  ASSERT_FALSE(at->steps.empty());
  EXPECT_THAT(at->steps[0], testing::HasSubstr("SEARCH item"));
}

}  // namespace
}  // namespace muhur::vault

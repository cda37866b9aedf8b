#include "vault/writer.hpp"

#include "base/metrics.hpp"
#include "fixture.hpp"
#include "vault/database.hpp"

// What becomes of the works of one group, with an executor that runs when the test says so.
namespace muhur::vault {
namespace {

class GroupTest : public VaultTest {
 protected:
  GroupTest() {
    auto with = database_options();
    with.executor = [this](std::function<void()> job) { held_.push_back(std::move(job)); };
    db_ = open_database(std::move(with));
  }
  void add(Database::Work work) {
    const std::size_t place = outcomes_.size();
    outcomes_.emplace_back();
    db_->write_async(std::move(work), [this, place](Result<void> got) { outcomes_[place] = std::move(got); });
  }
  void run_all() {
    for (auto& job : std::exchange(held_, {})) job();
  }
  std::int64_t stored() {
    return *db_->read([](Connection& c) -> Result<std::int64_t> { return count(c); });
  }
  std::vector<std::function<void()>> held_;
  std::vector<std::optional<Result<void>>> outcomes_;
  std::shared_ptr<Database> db_;
};

TEST_F(GroupTest, AWorkThatFailsIsRolledBackAlone) {
  add([](Connection& c) { return insert(c, "before"); });
  add([](Connection& c) -> Result<void> {
    MUHUR_CHECK(insert(c, "undone"));
    return fail(Code::quota, "too much");
  });
  add([](Connection& c) { return insert(c, "after"); });
  run_all();
  EXPECT_TRUE(ok(*outcomes_[0]));
  EXPECT_TRUE(fails_with(Code::quota, *outcomes_[1]));
  EXPECT_TRUE(ok(*outcomes_[2]));
  EXPECT_EQ(stored(), 2);
  EXPECT_EQ(db_->figures().commits, 1U);
  EXPECT_EQ(db_->figures().failures, 1U);
}

// Commits and fsyncs are what a load is explained by: counted for the process, commits by what the file is.
TEST_F(GroupTest, CommitsAndSyncsAreCounted) {
  const auto value = [](std::string_view line) {
    const std::string text = metrics::prometheus_text();
    const std::size_t at = text.find("\n" + std::string(line) + " ");
    return at == std::string::npos ? 0.0 : std::stod(text.substr(at + line.size() + 2));
  };
  constexpr std::string_view kCommits = R"(muhur_commits_total{db="counted"})";
  auto with = database_options();
  with.open.path = file("counted.db");
  with.open.profile.durability = Durability::full;
  with.metrics_label = "counted";
  const auto db = open_database(std::move(with));
  const double commits = value(kCommits), syncs = value("muhur_fsyncs_total");
  for (const std::string_view text : {"a", "b", "c"})
    ASSERT_TRUE(ok(db->write([&](Connection& c) { return insert(c, text); })));
  EXPECT_EQ(value(kCommits) - commits, 3);
  EXPECT_GE(value("muhur_fsyncs_total") - syncs, 3);
}

TEST_F(GroupTest, AWorkThatThrowsIsRolledBackAlone) {
  add([](Connection& c) -> Result<void> {
    MUHUR_CHECK(insert(c, "undone"));
    throw std::runtime_error("oops");
  });
  add([](Connection& c) { return insert(c, "after"); });
  run_all();
  EXPECT_TRUE(fails_with(Code::internal, *outcomes_[0]));
  EXPECT_TRUE(ok(*outcomes_[1]));
  EXPECT_EQ(stored(), 1);
}

TEST_F(GroupTest, ADiskThatFillsUpInsideAWorkFailsTheGroupSoFarAndNothingAfter) {
  ASSERT_TRUE(ok(db_->exclusive([](Connection& c) { return c.exec("PRAGMA max_page_count=30"); })));
  const std::string large(1'000'000, 'x');
  add([](Connection& c) { return insert(c, "before"); });
  add([&](Connection& c) { return insert(c, large); });
  add([](Connection& c) { return insert(c, "after"); });
  run_all();
  EXPECT_TRUE(fails_with(Code::no_space, *outcomes_[1]));
  EXPECT_TRUE(ok(*outcomes_[2]));
  // Whether SQLite undid the statement or the transaction: what was told is what is stored.
  EXPECT_EQ(stored(), (*outcomes_[0] ? 1 : 0) + 1);
  EXPECT_TRUE(ok(db_->write([](Connection& c) { return insert(c, "usable"); })));
}

TEST_F(GroupTest, ACommitThatFailsFailsEveryWorkAndLeavesTheDatabaseUsable) {
  ASSERT_TRUE(ok(db_->write([](Connection& c) {
    return c.exec(
        "CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES item(id)"
        " DEFERRABLE INITIALLY DEFERRED)");
  })));
  add([](Connection& c) { return insert(c, "a"); });
  add([](Connection& c) { return c.run("INSERT INTO child(parent) VALUES(?)", 99); });  // seen at COMMIT
  add([](Connection&) -> Result<void> { return fail(Code::quota, "own reason"); });
  run_all();
  EXPECT_TRUE(fails_with(Code::conflict, *outcomes_[0]));
  EXPECT_TRUE(fails_with(Code::conflict, *outcomes_[1]));
  EXPECT_TRUE(fails_with(Code::quota, *outcomes_[2]));
  EXPECT_EQ(stored(), 0);
  EXPECT_TRUE(ok(db_->write([](Connection& c) { return insert(c, "b"); })));
}

TEST_F(GroupTest, AWorkThatEndsTheTransactionIsABugThatNobodyIsToldWasStored) {
  add([](Connection& c) { return insert(c, "a"); });
  add([](Connection& c) { return c.run("ROLLBACK"); });
  add([](Connection& c) { return insert(c, "b"); });
  run_all();
  EXPECT_TRUE(fails_with(Code::internal, *outcomes_[0]));
  EXPECT_TRUE(fails_with(Code::internal, *outcomes_[1]));
  EXPECT_TRUE(ok(*outcomes_[2]));
  EXPECT_EQ(stored(), 1);
}

TEST_F(GroupTest, ABlockedCallerDrainsWhatWaitsBeforeIt) {
  add([](Connection& c) { return insert(c, "a"); });
  ASSERT_TRUE(ok(db_->write([](Connection& c) { return insert(c, "b"); })));
  ASSERT_TRUE(outcomes_[0].has_value());
  EXPECT_TRUE(ok(*outcomes_[0]));
  EXPECT_EQ(db_->figures().commits, 1U);
}

TEST_F(GroupTest, ExclusiveWorkRunsInItsPlaceAndOutsideAnyTransaction) {
  add([](Connection& c) { return insert(c, "a"); });
  bool outside = false;
  ASSERT_TRUE(ok(db_->exclusive([&](Connection& c) -> Result<void> {
    outside = !c.in_transaction() && count(c) == 1;
    return c.exec("VACUUM");
  })));
  EXPECT_TRUE(outside);
}

TEST_F(GroupTest, ClosingFinishesWhatTheExecutorNeverRan) {
  add([](Connection& c) { return insert(c, "a"); });
  db_.reset();
  ASSERT_TRUE(outcomes_[0].has_value());
  EXPECT_TRUE(ok(*outcomes_[0]));
  run_all();  // a job of the executor that comes too late finds nothing
  EXPECT_EQ(count(*connect(OpenMode::read_write)), 1);
}

TEST_F(GroupTest, AWriteInsideAWorkIsRefusedInsteadOfWaitingForItself) {
  Result<void> inner;
  ASSERT_TRUE(ok(db_->write([&](Connection&) -> Result<void> {
    inner = db_->write([](Connection& c) { return insert(c, "x"); });
    return {};
  })));
  EXPECT_TRUE(fails_with(Code::internal, inner));
}

}  // namespace
}  // namespace muhur::vault

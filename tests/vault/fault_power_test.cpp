// The power goes before each write, flush, truncation and deletion in turn, and takes what was not flushed
// with it, in several ways: what was acknowledged is there afterwards (synchronous FULL).
#include <latch>

#include "fixture.hpp"
#include "vault/fault_ledger.hpp"
#include "vault/fault_vfs.hpp"
#include "vault/maintenance.hpp"
#include "vault/raw_database.hpp"

namespace muhur::vault::testing {
namespace {

namespace fs = std::filesystem;

constexpr Migration kMigrations[] = {{1, "kept", kLedgerTable}};

class PowerTest : public VaultTest {
 protected:
  struct Moment {
    Disk disk;
    std::map<int, Promise> promises;
    std::string when;
  };
  static constexpr std::uint64_t kSeeds = 6;

  static Profile profile() {
    Profile small;
    small.page_size = 1024;
    small.cache_kib = 64;
    small.wal_autocheckpoint = 12;
    return small;
  }
  OpenOptions opening(OpenMode mode = OpenMode::create, bool bare = false) const {
    return {.path = file(), .key = &key(), .mode = mode, .profile = profile(), .bare = bare};
  }
  void begin() {
    watch_power(directory_, [this] {
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
        moments_.push_back({disk_after_power_loss(seed < 2 ? seed : seed + 7 * moments_.size()),
                            ledger_.promises(),
                            fmt::format("step {}, seed {}", moments_.size() / kSeeds, seed)});
    });
  }
  // Each disk is looked at, written to and looked at again.
  void look_at_all() {
    stop_watching_power();
    const fs::path place = directory_ / "after";
    ASSERT_GT(moments_.size(), 20 * kSeeds);
    for (const Moment& moment : moments_) {
      fs::remove_all(place);
      fs::create_directories(place);
      for (const auto& [name, bytes] : moment.disk) write_file((place / name).string(), bytes);
      OpenOptions again = opening();
      again.path = place / file().filename();
      const auto db = Connection::open(again);
      ASSERT_TRUE(ok(db)) << moment.when;
      ASSERT_EQ(Ledger::broken(moment.promises, **db), "") << moment.when;
      auto promises = moment.promises;
      if ((*db)->query_int("SELECT count(*) FROM sqlite_schema WHERE name = 'kept'").value_or(0) == 0)
        continue;
      Ledger more;
      ASSERT_TRUE(ok(more.put(**db, 9999))) << moment.when;
      ASSERT_TRUE(ok((*db)->exec("PRAGMA wal_checkpoint(TRUNCATE)"))) << moment.when;
      promises.merge(more.promises());
      ASSERT_EQ(Ledger::broken(promises, **db), "") << moment.when;
    }
  }

  Ledger ledger_;
  std::vector<Moment> moments_;
};

TEST_F(PowerTest, CommitsAndCheckpointsOfTheWal) {
  begin();
  {
    const auto db = Database::open({.open = opening(), .migrations = kMigrations});
    ASSERT_TRUE(ok(db));
    for (int version = 1; version <= 3; ++version) {
      for (int i = 1; i <= 5; ++i) {
        ledger_.attempt(i, version);
        ASSERT_TRUE(ok((*db)->write([&](Connection& c) { return Ledger::write(c, i, version); })));
        ledger_.acknowledge(i);
      }
      ASSERT_TRUE(ok(checkpoint(**db, version == 2)));
    }
  }
  look_at_all();
}

TEST_F(PowerTest, AGroupThatCommitsTogether) {
  {
    const auto db = Database::open({.open = opening(), .migrations = kMigrations});
    ASSERT_TRUE(ok(db));
    begin();
    constexpr int kWorks = 24;
    std::latch all(kWorks);
    for (int i = 1; i <= kWorks; ++i) {
      ledger_.attempt(i, 1);
      (*db)->write_async([i](Connection& c) { return Ledger::write(c, i, 1); },
                         [&, i](Result<void> outcome) {
                           EXPECT_TRUE(ok(outcome));
                           ledger_.acknowledge(i);
                           all.count_down();
                         });
    }
    all.wait();
  }
  look_at_all();
}

TEST_F(PowerTest, VacuumAndGivingPagesBack) {
  {
    const auto db = Connection::open(opening());
    ASSERT_TRUE(ok(db));
    ASSERT_TRUE(ok((*db)->exec(kLedgerTable)));
    for (int i = 1; i <= 10; ++i) ASSERT_TRUE(ok(ledger_.put(**db, i)));
    ASSERT_TRUE(
        ok((*db)->exec("CREATE TABLE filler(body); INSERT INTO filler SELECT zeroblob(900) FROM kept;"
                       "DELETE FROM filler WHERE rowid % 3")));
    begin();
    ASSERT_TRUE(ok((*db)->exec("PRAGMA incremental_vacuum(10)")));
    ASSERT_TRUE(ok(ledger_.put(**db, 1, 2)));
    ASSERT_TRUE(ok((*db)->exec("DELETE FROM filler; VACUUM")));
    ASSERT_TRUE(ok(ledger_.put(**db, 2, 2)));
  }
  look_at_all();
}

// EXTRA: with FULL the deletion of the journal, which is the commit, is not flushed (SQLite's own rule).
TEST_F(PowerTest, ARollbackJournal) {
  {
    const auto db = Connection::open(opening(OpenMode::create, true));
    ASSERT_TRUE(ok(db));
    ASSERT_TRUE(
        ok((*db)->exec("PRAGMA page_size=1024; PRAGMA auto_vacuum=1; PRAGMA secure_delete=1;"
                       "PRAGMA synchronous=EXTRA; PRAGMA cache_size=5")));
    begin();
    ASSERT_TRUE(ok((*db)->exec("BEGIN; " + std::string(kLedgerTable) + "; COMMIT")));
    for (int i = 1; i <= 6; ++i) ASSERT_TRUE(ok(ledger_.put(**db, i)));
    for (int i = 1; i <= 6; ++i) ledger_.attempt(i, 2);
    auto transaction = Transaction::begin(**db);
    ASSERT_TRUE(ok(transaction));
    for (int i = 1; i <= 6; ++i) ASSERT_TRUE(ok(Ledger::write(**db, i, 2)));
    ASSERT_TRUE(ok(transaction->commit()));
    for (int i = 1; i <= 6; ++i) ledger_.acknowledge(i);
  }
  look_at_all();
}

}  // namespace
}  // namespace muhur::vault::testing

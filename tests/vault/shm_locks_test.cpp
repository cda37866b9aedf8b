// The locks of a WAL-index in memory, and that all connections of a process keep the same kind.
#include "vault/shm_locks.hpp"

#include <gtest/gtest.h>

#include "vault/raw_database.hpp"

namespace muhur::vault::testing {
namespace {

constexpr int kTakeShared = SQLITE_SHM_LOCK | SQLITE_SHM_SHARED;
constexpr int kTakeExclusive = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE;
constexpr int kGiveShared = SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED;
constexpr int kGiveExclusive = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE;

TEST(ShmLocks, ManyShareASlotAndOneHoldsItAlone) {
  ShmLocks locks;
  ShmLocks::Held a, b, c;
  EXPECT_EQ(locks.apply(a, 3, 1, kTakeShared), SQLITE_OK);
  EXPECT_EQ(locks.apply(b, 3, 1, kTakeShared), SQLITE_OK);
  EXPECT_EQ(locks.apply(c, 3, 1, kTakeExclusive), SQLITE_BUSY);
  EXPECT_EQ(locks.apply(a, 3, 1, kGiveShared), SQLITE_OK);
  EXPECT_EQ(locks.apply(c, 3, 1, kTakeExclusive), SQLITE_BUSY);
  EXPECT_EQ(locks.apply(b, 3, 1, kGiveShared), SQLITE_OK);
  EXPECT_EQ(locks.apply(c, 3, 1, kTakeExclusive), SQLITE_OK);
  EXPECT_EQ(locks.apply(a, 3, 1, kTakeShared), SQLITE_BUSY);
  EXPECT_EQ(locks.apply(c, 3, 1, kGiveExclusive), SQLITE_OK);
  EXPECT_EQ(locks.apply(a, 3, 1, kTakeShared), SQLITE_OK);
}

TEST(ShmLocks, ARangeIsTakenWholeOrNotAtAll) {
  ShmLocks locks;
  ShmLocks::Held a, b, c;
  EXPECT_EQ(locks.apply(a, 6, 1, kTakeShared), SQLITE_OK);
  EXPECT_EQ(locks.apply(b, 3, 5, kTakeExclusive), SQLITE_BUSY);
  EXPECT_EQ(locks.apply(c, 3, 1, kTakeExclusive), SQLITE_OK);
  EXPECT_EQ(locks.apply(c, 3, 1, kGiveExclusive), SQLITE_OK);
  EXPECT_EQ(locks.apply(a, 6, 1, kGiveShared), SQLITE_OK);
  EXPECT_EQ(locks.apply(b, 3, 5, kTakeExclusive), SQLITE_OK);
  for (int slot = 3; slot < 8; ++slot) EXPECT_EQ(locks.apply(a, slot, 1, kTakeShared), SQLITE_BUSY);
  EXPECT_EQ(locks.apply(a, 2, 1, kTakeShared), SQLITE_OK);
}

TEST(ShmLocks, GivingBackWhatIsNotHeldTakesNothingFromOthers) {
  ShmLocks locks;
  ShmLocks::Held a, b;
  EXPECT_EQ(locks.apply(a, 0, 1, kTakeExclusive), SQLITE_OK);
  EXPECT_EQ(locks.apply(b, 0, 1, kGiveExclusive), SQLITE_OK);
  EXPECT_EQ(locks.apply(b, 0, 1, kTakeExclusive), SQLITE_BUSY);
  EXPECT_EQ(locks.apply(a, 5, 1, kTakeShared), SQLITE_OK);
  EXPECT_EQ(locks.apply(a, 5, 1, kTakeShared), SQLITE_OK);
  locks.release_all(a);
  EXPECT_EQ(locks.apply(b, 0, 8, kTakeExclusive), SQLITE_OK);
  EXPECT_EQ(locks.apply(b, 0, 9, kTakeExclusive), SQLITE_MISUSE);
}

const How kSharing{.more = "&shared=1"};  // other processes may attach

void two_writers_and_a_reader(const How& first, const How& second) {
  const Directory dir;
  RawDatabase one(dir.file("a.db"), test_key(), first);
  one.must("PRAGMA journal_mode=WAL");
  one.must(kTable);
  one.must(insert_rows(1, 3, 100));
  RawDatabase two(dir.file("a.db"), test_key(), second);
  RawDatabase reader(dir.file("a.db"), test_key(), second);
  reader.must("BEGIN");
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t"), "3");
  one.must("BEGIN IMMEDIATE");
  EXPECT_EQ(two.run("BEGIN IMMEDIATE"), SQLITE_BUSY);
  one.must(insert_rows(4, 5, 100));
  one.must("COMMIT");
  two.must("BEGIN IMMEDIATE");
  EXPECT_EQ(one.run("BEGIN IMMEDIATE"), SQLITE_BUSY);
  two.must(insert_rows(6, 6, 100));
  two.must("COMMIT");
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t"), "3");
  // The reader's snapshot keeps the log from being emptied.
  EXPECT_EQ(one.ask("PRAGMA wal_checkpoint(TRUNCATE)"), "1");
  reader.must("COMMIT");
  EXPECT_EQ(one.ask("PRAGMA wal_checkpoint(TRUNCATE)"), "0");
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t"), "6");
  EXPECT_EQ(two.ask("PRAGMA integrity_check"), "ok");
}

TEST(ShmLocks, ConnectionsOfAProcessThatIsAloneLockEachOtherOut) { two_writers_and_a_reader({}, {}); }

// Had each kept its own kind of lock, both would have written at once.
TEST(ShmLocks, AConnectionThatSharesAndOneThatDoesNotLockEachOtherOut) {
  two_writers_and_a_reader({}, kSharing);
  two_writers_and_a_reader(kSharing, {});
}

}  // namespace
}  // namespace muhur::vault::testing

// Temp files of every kind. A pitfall is named by its number in docs/vault.md.
#include <gtest/gtest.h>

#include <set>

#include "vault/raw_database.hpp"
#include "vault/recording_vfs.hpp"

namespace muhur::vault::testing {
namespace {

// A temp file as SQLite opens one, beside a plain vector that shows what it must hold.
class TempFileTest : public ::testing::Test {
 protected:
  TempFileTest() {
    start_recording("");
    vfs_ = sqlite3_vfs_find(kWatchedVfs);
    memory_.resize(static_cast<std::size_t>(vfs_->szOsFile));
    file_ = reinterpret_cast<sqlite3_file*>(memory_.data());
    constexpr int kFlags = SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                           SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE;
    EXPECT_EQ(vfs_->xOpen(vfs_, nullptr, file_, kFlags, nullptr), SQLITE_OK);
  }
  ~TempFileTest() override { file_->pMethods->xClose(file_); }

  void write(std::size_t at, const Bytes& bytes) {
    ASSERT_EQ(file_->pMethods->xWrite(file_, bytes.data(), static_cast<int>(bytes.size()),
                                      static_cast<sqlite3_int64>(at)),
              SQLITE_OK);
    if (model_.size() < at + bytes.size()) model_.resize(at + bytes.size());
    std::copy(bytes.begin(), bytes.end(), model_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void truncate(std::size_t size) {
    ASSERT_EQ(file_->pMethods->xTruncate(file_, static_cast<sqlite3_int64>(size)), SQLITE_OK);
    model_.resize(size);
  }
  void expect_same(std::size_t at, std::size_t amount) {
    Bytes got(amount, 0xee);
    Bytes wanted(amount);
    for (std::size_t i = 0; i < amount && at + i < model_.size(); ++i) wanted[i] = model_[at + i];
    const int rc =
        file_->pMethods->xRead(file_, got.data(), static_cast<int>(amount), static_cast<sqlite3_int64>(at));
    EXPECT_EQ(rc, at + amount <= model_.size() ? SQLITE_OK : SQLITE_IOERR_SHORT_READ);
    EXPECT_TRUE(got == wanted) << at << " " << amount;
    sqlite3_int64 size = 0;
    EXPECT_EQ(file_->pMethods->xFileSize(file_, &size), SQLITE_OK);
    EXPECT_EQ(static_cast<std::size_t>(size), model_.size());
  }

  sqlite3_vfs* vfs_ = nullptr;
  std::vector<char> memory_;
  sqlite3_file* file_ = nullptr;
  Bytes model_;
};

TEST_F(TempFileTest, HolesAndEndsReadAsZeros) {
  write(10'000, Bytes(100, 7));
  expect_same(0, 20'000);
  expect_same(9'990, 50);
  expect_same(50'000, 10);
  write(40'960, Bytes(4096, 9));
  expect_same(0, 60'000);
}

TEST_F(TempFileTest, WhatWasCutOffReadsAsZerosWhenTheFileGrowsAgain) {
  write(0, Bytes(20'000, 7));
  truncate(5'000);
  expect_same(0, 20'000);
  write(15'000, Bytes(10, 8));
  expect_same(0, 20'000);
  truncate(4096);
  write(8192, Bytes(1, 1));
  expect_same(0, 9000);
  truncate(0);
  expect_same(0, 100);
  write(3, Bytes(3, 3));
  expect_same(0, 100);
}

TEST_F(TempFileTest, AThousandRandomActsLeaveWhatAVectorWouldHold) {
  for (int i = 0; i < 1500; ++i) {
    const auto at = random_below(200'000);
    switch (random_below(8)) {
      case 0:
        truncate(random_below(220'000));
        break;
      case 1:
        write(at / 4096 * 4096, random_bytes(4096 * (1 + random_below(20))));
        break;
      case 2:
      case 3:
        write(at, random_bytes(1 + random_below(9'000)));
        break;
      case 4:
        write(at, random_bytes(4));
        break;
      default:
        expect_same(at, 1 + random_below(70'000));
    }
  }
  expect_same(0, 300'000);
}

// Two blocks encrypted under the same key and nonce would XOR to the XOR of their plaintexts.
TEST(TempFile, P19NoKeystreamIsUsedTwiceHoweverOftenABlockIsWritten) {
  start_recording("");
  sqlite3_vfs* const vfs = sqlite3_vfs_find(kVfsName);
  std::vector<char> memory(static_cast<std::size_t>(vfs->szOsFile));
  auto* const file = reinterpret_cast<sqlite3_file*>(memory.data());
  const Directory dir;
  const std::string path = dir.file("temp");
  // A temp file with a name, so that the test can look at it.
  ASSERT_EQ(vfs->xOpen(vfs, path.c_str(), file,
                       SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr),
            SQLITE_OK);
  const Bytes zeros(4096);
  std::set<Bytes> seen;
  int blocks = 0;
  for (int round = 0; round < 50; ++round) {
    for (const sqlite3_int64 at : {0, 4096, 8192}) {
      ASSERT_EQ(file->pMethods->xWrite(file, zeros.data(), 4096, at), SQLITE_OK);
      ASSERT_EQ(file->pMethods->xSync(file, 0), SQLITE_OK);  // blocks wait to be written together
      const Bytes all = read_file(path);
      seen.insert(Bytes(all.begin() + at, all.begin() + at + 4096));
      ++blocks;
    }
    if (round % 10 == 0) file->pMethods->xTruncate(file, 4096);
    if (round % 10 == 5) file->pMethods->xTruncate(file, 0);
  }
  file->pMethods->xClose(file);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(blocks));
}

struct Spill {
  const char* name;
  const char* sql;
  int kind;
};

class EverySpill : public ::testing::TestWithParam<Spill> {};

// What other encrypted SQLites leave in plain: each of these wrote the marker there.
TEST_P(EverySpill, LeavesNothingReadableAndDoesItsWork) {
  const Directory dir;
  start_recording(kMarker);
  for (const char* mode : {"WAL", "DELETE"}) {
    RawDatabase db(dir.file(std::string(mode) + ".db"), test_key(), {.vfs = kWatchedVfs});
    db.must(std::string("PRAGMA journal_mode=") + mode + "; PRAGMA temp_store=1; PRAGMA cache_size=10;");
    db.must(kTable);
    db.must(insert_rows(1, 2000, 1000));
    db.must("PRAGMA temp.cache_size=5");
    db.must(GetParam().sql);
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "2000");
  }
  Recorded seen = recorded();
  EXPECT_EQ(seen.leaks, 0u);
  EXPECT_GT(seen.by_kind[GetParam().kind], 10u) << "this did not spill";
}
INSTANTIATE_TEST_SUITE_P(
    P19, EverySpill,
    ::testing::Values(
        Spill{"Sorter", "CREATE INDEX i ON t(body, id)", SQLITE_OPEN_TEMP_JOURNAL},
        Spill{"OrderBy", "SELECT * FROM t ORDER BY body || 'x' DESC", SQLITE_OPEN_TEMP_JOURNAL},
        Spill{"Vacuum", "VACUUM", SQLITE_OPEN_TEMP_DB},
        Spill{"TempTable", "CREATE TEMP TABLE x AS SELECT * FROM t; UPDATE x SET body = body || 'y'",
              SQLITE_OPEN_TEMP_DB},
        Spill{"TempRollback",
              "CREATE TEMP TABLE x AS SELECT * FROM t; BEGIN; UPDATE x SET body = body || 'y'; ROLLBACK",
              SQLITE_OPEN_TEMP_JOURNAL},
        Spill{"Distinct", "SELECT DISTINCT body || id FROM t UNION SELECT body FROM t",
              SQLITE_OPEN_TRANSIENT_DB},
        Spill{"StatementJournal",
              "BEGIN; UPDATE t SET body = body || 'z'; SAVEPOINT s; UPDATE t SET body = body || 'w'; "
              "ROLLBACK TO s; COMMIT",
              SQLITE_OPEN_SUBJOURNAL}),
    [](const auto& info) { return info.param.name; });

TEST(TempFile, AFullDiskUnderATempFileFailsTheStatementAndNothingElse) {
  const Directory dir;
  start_recording(kMarker);
  RawDatabase db(dir.file("a.db"), test_key(), {.vfs = kWatchedVfs});
  db.must("PRAGMA temp_store=1; PRAGMA cache_size=10");
  db.must(kTable);
  db.must(insert_rows(1, 3000, 1000));
  for (const std::uint64_t nth : {1u, 3u, 7u}) {
    fail_call(Op::write, nth, SQLITE_FULL, true);
    EXPECT_EQ(db.ask("SELECT count(*) FROM (SELECT DISTINCT body || id FROM t)"),
              "error: database or disk is full");
    fail_nothing();
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  }
  EXPECT_EQ(db.ask("SELECT count(*) FROM (SELECT DISTINCT body || id FROM t)"), "3000");
}

TEST(TempFile, TheFilesAreUnlinkedWhileTheyAreInUse) {
  const Directory dir;
  const std::string before = std::getenv("SQLITE_TMPDIR") ? std::getenv("SQLITE_TMPDIR") : "";
  ::setenv("SQLITE_TMPDIR", dir.path().c_str(), 1);
  {
    RawDatabase db(dir.file("a.db"), test_key());
    db.must("PRAGMA temp_store=1; PRAGMA temp.cache_size=5; CREATE TEMP TABLE t(id, body)");
    db.must(insert_rows(1, 500, 1000));
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      EXPECT_FALSE(entry.path().filename().string().starts_with("etilqs")) << entry.path();
  }
  if (before.empty())
    ::unsetenv("SQLITE_TMPDIR");
  else
    ::setenv("SQLITE_TMPDIR", before.c_str(), 1);
}

}  // namespace
}  // namespace muhur::vault::testing

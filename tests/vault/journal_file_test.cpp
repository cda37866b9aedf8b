// The rollback journal, and all journal modes. A pitfall is named by its number in docs/vault.md.
#include <gtest/gtest.h>

#include "vault/raw_database.hpp"
#include "vault/recording_vfs.hpp"

namespace muhur::vault::testing {
namespace {

// Ten rows committed, then a transaction so large that its pages reach the file, and a kill in it.
void leave_hot_journal(const std::string& path, const Key& key, const std::string& page_size,
                       const How& how = {}) {
  in_killed_child([&] {
    RawDatabase db(path, key, how);
    db.run("PRAGMA page_size=" + page_size);
    db.run(kTable);
    db.run(insert_rows(1, 300, 500));
    db.run("PRAGMA cache_size=60; BEGIN; UPDATE t SET body = 'gone ' || body;" +
           insert_rows(1000, 2000, 600));
  });
}

TEST(JournalFile, P16AHotJournalIsRolledBackForEveryPageSize) {
  for (const char* size : {"512", "1024", "4096", "65536"}) {
    const Directory dir;
    leave_hot_journal(dir.file("a.db"), test_key(), size);
    const Bytes journal = read_file(dir.file("a.db-journal"));
    EXPECT_GT(journal.size(), 10000u);
    EXPECT_FALSE(contains(journal, kMarker));
    RawDatabase db(dir.file("a.db"), test_key());
    EXPECT_EQ(db.ask("SELECT count(*) FROM t WHERE body NOT LIKE 'gone%'"), "300") << size;
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  }
}

TEST(JournalFile, P17AHotJournalIsRolledBackUnderAPassphraseBeforeAnythingWasRead) {
  for (const char* more : {"", "&cipher=sqleet", "&cipher=aes256cbc"}) {
    const Directory dir;
    const How how{.more = more, .reserve = std::string_view(more).contains("aes") ? -1 : 32};
    leave_hot_journal(dir.file("a.db"), test_passphrase(), "4096", how);
    RawDatabase db(dir.file("a.db"), test_passphrase(), how);
    EXPECT_EQ(db.ask("SELECT count(*) FROM t WHERE body NOT LIKE 'gone%'"), "300") << more;
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  }
}

// SQLite cuts the database to its former size before it reads the first record: that is all that happens.
TEST(JournalFile, P17AWrongKeyLeavesAHotJournalForTheRightOne) {
  const Directory dir;
  leave_hot_journal(dir.file("a.db"), test_key(), "1024");
  const Bytes journal = read_file(dir.file("a.db-journal"));
  {
    RawDatabase wrong(dir.file("a.db"), test_key(99));
    EXPECT_NE(wrong.run("SELECT count(*) FROM t"), SQLITE_OK);
  }
  EXPECT_EQ(read_file(dir.file("a.db-journal")), journal);
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t WHERE body NOT LIKE 'gone%'"), "300");
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
}

TEST(JournalFile, P27ADamagedRecordStopsTheRollbackLoudly) {
  const Directory dir;
  leave_hot_journal(dir.file("a.db"), test_key(), "1024");
  Bytes journal = read_file(dir.file("a.db-journal"));
  journal[512 + 4 + 200] ^= 1;  // within the first record's page
  write_file(dir.file("a.db-journal"), journal);
  RawDatabase db(dir.file("a.db"), test_key());
  const int rc = db.run("SELECT count(*) FROM t");
  EXPECT_TRUE(rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB) << rc;
}

TEST(JournalFile, P26AWriteThatSqliteNeverMakesIsRefused) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key());
  db.must(std::string("PRAGMA page_size=1024; PRAGMA journal_mode=PERSIST;") + kTable);
  db.must("BEGIN IMMEDIATE; INSERT INTO t VALUES(1,'x')");
  sqlite3_file* journal = nullptr;
  ASSERT_EQ(sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal), SQLITE_OK);
  ASSERT_TRUE(journal->pMethods);
  const Bytes some(2048, 1);
  EXPECT_EQ(journal->pMethods->xWrite(journal, some.data(), 1024, 100'000), SQLITE_IOERR_WRITE);
  EXPECT_EQ(journal->pMethods->xWrite(journal, some.data(), 512, 100'000), SQLITE_IOERR_WRITE);
  EXPECT_EQ(journal->pMethods->xWrite(journal, some.data(), 2048, 100'000), SQLITE_IOERR_WRITE);
  db.must("ROLLBACK");
}

class EveryMode : public ::testing::TestWithParam<std::tuple<const char*, const char*, int>> {};

TEST_P(EveryMode, WorksAndLeavesNothingReadable) {
  const auto [journal, locking, synchronous] = GetParam();
  const Directory dir;
  start_recording(kMarker);
  const How how{.vfs = kWatchedVfs};
  {
    RawDatabase db(dir.file("a.db"), test_key(), how);
    db.must(std::string("PRAGMA locking_mode=") + locking + "; PRAGMA page_size=1024;");
    db.must(std::string("PRAGMA journal_mode=") + journal +
            "; PRAGMA synchronous=" + std::to_string(synchronous));
    db.must("PRAGMA cache_size=40; PRAGMA temp_store=1");
    db.must(kTable);
    db.must("BEGIN;" + insert_rows(1, 200, 400) + "COMMIT");
    db.must("SAVEPOINT s;" + insert_rows(201, 400, 400) + "UPDATE t SET body='x'||body; RELEASE s");
    if (std::string_view(journal) != "OFF") {
      db.must(
          "SAVEPOINT a; UPDATE t SET body='gone'; SAVEPOINT b; DELETE FROM t; ROLLBACK TO b; ROLLBACK TO a; "
          "RELEASE a");
      db.must("BEGIN; DELETE FROM t;" + insert_rows(1000, 1300, 400) + "ROLLBACK");
    }
    db.must("CREATE INDEX i ON t(body); VACUUM; DELETE FROM t WHERE id % 4 = 0");
    EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "300");
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  }
  const Recorded seen = recorded();
  EXPECT_EQ(seen.leaks, 0u);
  EXPECT_GT(seen.writes, 100u);
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "300");
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
}
INSTANTIATE_TEST_SUITE_P(JournalFile, EveryMode,
                         ::testing::Combine(::testing::Values("DELETE", "TRUNCATE", "PERSIST", "MEMORY",
                                                              "OFF", "WAL"),
                                            ::testing::Values("NORMAL", "EXCLUSIVE"), ::testing::Range(0, 4)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + std::get<1>(info.param) +
                                  std::to_string(std::get<2>(info.param));
                         });

TEST(JournalFile, ModesChangeBackAndForthInOneDatabase) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_passphrase());
  db.must(kTable);
  int id = 0;
  for (const char* mode :
       {"PERSIST", "WAL", "DELETE", "TRUNCATE", "WAL", "PERSIST", "WAL", "MEMORY", "DELETE"}) {
    EXPECT_NE(db.ask(std::string("PRAGMA journal_mode=") + mode), "");
    db.must(insert_rows(id + 1, id + 30, 900));
    id += 30;
    RawDatabase other(dir.file("a.db"), test_passphrase());
    EXPECT_EQ(other.ask("SELECT count(*) FROM t"), std::to_string(id)) << mode;
    EXPECT_EQ(other.ask("PRAGMA integrity_check"), "ok");
  }
}

TEST(JournalFile, P20ACommitOverTwoDatabasesIsAllOrNothing) {
  const Directory dir;
  const RegisteredKey second(test_key(9));
  const std::string attach = "ATTACH '" + uri(dir.file("b.db"), second, "", kWatchedVfs) + "' AS b;";
  start_recording(kMarker);
  const How how{.vfs = kWatchedVfs};
  {
    RawDatabase db(dir.file("a.db"), test_key(), how);
    db.must("PRAGMA journal_mode=DELETE;" + attach);
    int reserve = kReservedBytes;
    sqlite3_file_control(db.handle(), "b", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
    db.must(std::string(kTable) + "CREATE TABLE b.u(id INTEGER PRIMARY KEY, body TEXT);");
    db.must("BEGIN;" + insert_rows(1, 100, 200) + insert_rows(1, 100, 200, "b.u") + "COMMIT");
    EXPECT_GT(recorded().by_kind[SQLITE_OPEN_SUPER_JOURNAL], 0u);
  }
  // Killed at each write of a commit over both, one after the other.
  for (std::uint64_t nth = 1; nth < 60; nth += 4) {
    in_killed_child([&] {
      RawDatabase db(dir.file("a.db"), test_key(), how);
      db.run(attach);
      db.run("BEGIN; UPDATE t SET body='n" + std::to_string(nth) + "'; UPDATE b.u SET body='n" +
             std::to_string(nth) + "';");
      fail_call(Op::write, nth, SQLITE_IOERR_WRITE, true);
      db.run("COMMIT");
    });
    RawDatabase db(dir.file("a.db"), test_key(), how);
    db.must(attach);
    EXPECT_EQ(db.ask("SELECT DISTINCT substr(body, 1, 3) FROM t"),
              db.ask("SELECT DISTINCT substr(body, 1, 3) FROM b.u"));
    EXPECT_EQ(db.ask("SELECT count(*) FROM t WHERE body LIKE 'n%'"),
              db.ask("SELECT count(*) FROM b.u WHERE body LIKE 'n%'"));
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  }
}

}  // namespace
}  // namespace muhur::vault::testing

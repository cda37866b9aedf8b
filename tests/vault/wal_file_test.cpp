// The write-ahead log. A pitfall is named by its number in docs/vault.md.
#include <gtest/gtest.h>

#include <thread>

#include "vault/raw_database.hpp"
#include "vault/recording_vfs.hpp"
#include "vault/wal_format.hpp"

namespace muhur::vault::testing {
namespace {

const std::string kWal = "PRAGMA page_size=1024; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;";

// How many frames of a WAL file chain, by SQLite's rules, over the bytes that are in the file.
int valid_frames(const Bytes& wal, std::size_t page) {
  if (wal.size() < kWalHeader) return 0;
  const bool big = (load_be32(wal.data()) & 1) != 0;
  std::uint32_t sum[2] = {load_be32(wal.data() + 24), load_be32(wal.data() + 28)};
  int frames = 0;
  for (std::size_t at = kWalHeader; at + kFrameHeader + page <= wal.size();
       at += kFrameHeader + page, ++frames) {
    const Byte* const frame = wal.data() + at;
    wal_checksum(big, {frame, 8}, sum);
    wal_checksum(big, {frame + kFrameHeader, page}, sum);
    if (std::memcmp(frame + 8, wal.data() + 16, 8) != 0 || load_be32(frame + 16) != sum[0] ||
        load_be32(frame + 20) != sum[1])
      break;
  }
  return frames;
}

std::string state(RawDatabase& db) {
  const std::string ok = db.ask("PRAGMA integrity_check");
  return ok == "ok" ? db.ask("SELECT count(*)||' '||coalesce(sum(length(body)),0) FROM t") : ok;
}

TEST(WalFile, P8FrameChecksumsChainOverCiphertext) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key());
  db.must(kWal);
  db.must(kTable);
  for (int i = 0; i < 30; ++i) db.must(insert_rows(100 * i, 100 * i + i, 200));
  const Bytes wal = read_file(dir.file("a.db-wal"));
  EXPECT_EQ(valid_frames(wal, 1024), static_cast<int>((wal.size() - 32) / 1048));
  EXPECT_FALSE(contains(wal, kMarker));
}

TEST(WalFile, P8ATransactionGoesToTheFileInOneWrite) {
  const Directory dir;
  start_recording(kMarker);
  RawDatabase db(dir.file("a.db"), test_key(), {.vfs = kWatchedVfs});
  db.must(kWal + "PRAGMA synchronous=NORMAL;");
  db.must(kTable);
  record_calls_of(SQLITE_OPEN_WAL);
  db.must("BEGIN;" + insert_rows(1, 20, 700) + "COMMIT");
  const Recorded seen = recorded();
  ASSERT_EQ(seen.calls.size(), 1u) << seen.calls[1];
  EXPECT_TRUE(seen.calls[0].starts_with("write "));
  EXPECT_EQ(seen.leaks, 0u);
}

TEST(WalFile, P9AKilledProcessLosesNoCommit) {
  for (const char* size : {"512", "4096", "65536"}) {
    const Directory dir;
    in_killed_child([&] {
      RawDatabase db(dir.file("a.db"), test_key());
      db.run(std::string("PRAGMA page_size=") + size +
             "; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;");
      db.run(kTable);
      for (int i = 0; i < 20; ++i) db.run(insert_rows(i * 10 + 1, i * 10 + 10, 500));
    });
    EXPECT_GT(read_file(dir.file("a.db-wal")).size(), 10000u);
    RawDatabase db(dir.file("a.db"), test_key());
    EXPECT_EQ(state(db), "200 101492") << size;
  }
}

TEST(WalFile, P9AKilledSpilledTransactionIsRolledBackToTheLastCommit) {
  const Directory dir;
  in_killed_child([&] {
    RawDatabase db(dir.file("a.db"), test_key());
    db.run(kWal);
    db.run(kTable);
    db.run(insert_rows(1, 10, 500));
    db.run("PRAGMA cache_size=5; BEGIN;" + insert_rows(100, 3000, 700) + "UPDATE t SET body = body || 'x';");
  });
  EXPECT_GT(read_file(dir.file("a.db-wal")).size(), 2'000'000u);
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "10");
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
}

// The trial before this VFS failed here: pages that are changed again in the log of one transaction.
TEST(WalFile, P10PagesRewrittenWithinATransactionSurviveAKill) {
  const Directory dir;
  in_killed_child([&] {
    RawDatabase db(dir.file("a.db"), test_key());
    db.run(kWal + "PRAGMA cache_size=5;");
    db.run(kTable);
    for (int round = 0; round < 4; ++round) {
      db.run("BEGIN;" + insert_rows(1000 * round + 1, 1000 * round + 300, 600) +
             "UPDATE t SET body = body || 'x'; UPDATE t SET body = body || 'y' WHERE id % 3 = 0; COMMIT;");
      db.run(insert_rows(1000 * round + 900, 1000 * round + 900, 100));
    }
  });
  const Bytes wal = read_file(dir.file("a.db-wal"));
  EXPECT_EQ(valid_frames(wal, 1024), static_cast<int>((wal.size() - 32) / 1048));
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "1204");
  EXPECT_EQ(db.ask("SELECT count(*) FROM t WHERE id = 1 AND body LIKE '%xxxx'"), "1");
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
}

TEST(WalFile, P10SavepointsRolledBackInASpilledTransactionLeaveAValidChain) {
  const Directory dir;
  in_killed_child([&] {
    RawDatabase db(dir.file("a.db"), test_key());
    db.run(kWal + "PRAGMA cache_size=5;");
    db.run(kTable);
    db.run("BEGIN;" + insert_rows(1, 200, 600) + "SAVEPOINT s; UPDATE t SET body='gone';" +
           insert_rows(300, 600, 600) + "ROLLBACK TO s;" + insert_rows(700, 800, 600) + "COMMIT");
    db.run("BEGIN;" + insert_rows(1000, 1300, 600) + "ROLLBACK");
    db.run(insert_rows(2000, 2010, 600));
  });
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "312");
  EXPECT_EQ(db.ask("SELECT count(*) FROM t WHERE body='gone'"), "0");
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
}

TEST(WalFile, P11AnAppendOverAFrameThatRecoveryHasReadIsAnAppend) {
  const Directory dir;
  in_killed_child([&] {
    RawDatabase db(dir.file("a.db"), test_key());
    db.run(kWal);
    db.run(kTable);
    for (int i = 1; i <= 10; ++i) db.run(insert_rows(i, i, 300));
  });
  // The last frame is torn: recovery reads it, drops it, and the next commit stands in its place.
  Bytes wal = read_file(dir.file("a.db-wal"));
  wal[wal.size() - 100] ^= 1;
  write_file(dir.file("a.db-wal"), wal);
  in_killed_child([&] {
    RawDatabase db(dir.file("a.db"), test_key());
    db.run("PRAGMA wal_autocheckpoint=0");
    for (int i = 100; i <= 105; ++i) db.run(insert_rows(i, i, 300));
  });
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(db.ask("SELECT count(*) FROM t WHERE id >= 100"), "6");
}

TEST(WalFile, P12TwoConnectionsTakeTurnsInOneLog) {
  const Directory dir;
  in_killed_child([&] {
    RawDatabase a(dir.file("a.db"), test_key());
    a.run(kWal);
    a.run(kTable);
    RawDatabase b(dir.file("a.db"), test_key());
    b.run("PRAGMA wal_autocheckpoint=0");
    for (int i = 1; i <= 40; ++i) (i % 3 ? a : b).run(insert_rows(i, i, 300));
  });
  const Bytes wal = read_file(dir.file("a.db-wal"));
  EXPECT_EQ(valid_frames(wal, 1024), static_cast<int>((wal.size() - 32) / 1048));
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
}

TEST(WalFile, P12FourProcessesThatAreKilledAgainAndAgainLoseNoCommit) {
  for (const char* mode : {"WAL", "DELETE"}) {
    const Directory dir;
    {
      RawDatabase db(dir.file("a.db"), test_key(), {.more = "&shared=1"});
      db.must(std::string("PRAGMA page_size=1024; PRAGMA journal_mode=") + mode);
      db.must(kTable);
    }
    // Each writer reports a commit through its pipe only after it was made.
    int committed = 0;
    for (int round = 0; round < 3; ++round) {
      int ends[2];
      ASSERT_EQ(::pipe(ends), 0);
      std::vector<pid_t> children;
      for (int who = 0; who < 4; ++who) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
          RawDatabase db(dir.file("a.db"), test_key(), {.more = "&shared=1"});
          sqlite3_busy_timeout(db.handle(), 20'000);
          for (int i = 0;; ++i) {
            const int id = who * 1'000'000 + round * 100'000 + i;
            if (db.run("BEGIN IMMEDIATE;" + insert_rows(id, id, 400) + "COMMIT") != SQLITE_OK) ::_exit(1);
            if (::write(ends[1], "c", 1) != 1) ::_exit(2);
          }
        }
        children.push_back(child);
      }
      ::close(ends[1]);
      char one;
      for (int i = 0; i < 60; ++i) {
        ASSERT_EQ(::read(ends[0], &one, 1), 1);
        ++committed;
      }
      for (const pid_t child : children) ::kill(child, SIGKILL);
      for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status)) << "a writer ended with " << WEXITSTATUS(status);
      }
      while (::read(ends[0], &one, 1) == 1) ++committed;
      ::close(ends[0]);
      RawDatabase db(dir.file("a.db"), test_key(), {.more = "&shared=1"});
      EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok") << mode;
      EXPECT_GE(std::stoi(db.ask("SELECT count(*) FROM t")), committed) << mode;
    }
  }
}

TEST(WalFile, ManyThreadsEachWithItsConnectionWorkOnOneDatabase) {
  const Directory dir;
  RawDatabase first(dir.file("a.db"), test_key());
  first.must(kWal + "PRAGMA wal_autocheckpoint=50;");
  first.must(kTable);
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int who = 0; who < 6; ++who) {
    threads.emplace_back([&, who] {
      RawDatabase db(dir.file("a.db"), test_key());
      sqlite3_busy_timeout(db.handle(), 60'000);
      db.run("PRAGMA wal_autocheckpoint=50; PRAGMA cache_size=20; PRAGMA temp_store=1");
      for (int i = 0; i < 25; ++i) {
        const int id = who * 1000 + i * 10;
        if (db.run("BEGIN IMMEDIATE;" + insert_rows(id, id + 9, 300) + "COMMIT") != SQLITE_OK) ++failures;
        if (db.ask("SELECT count(*) > 0 FROM (SELECT DISTINCT body FROM t)") != "1") ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(first.ask("SELECT count(*) FROM t"), "1500");
  EXPECT_EQ(first.ask("PRAGMA integrity_check"), "ok");
}

TEST(WalFile, P13ACheckpointMovesPagesAsTheyAre) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key());
  db.must(kWal);
  db.must(kTable);
  db.must(insert_rows(1, 300, 700));
  EXPECT_EQ(state(db), "300 212292");
  const CipherFigures before = cipher_figures();
  db.must("PRAGMA wal_checkpoint(TRUNCATE)");
  const CipherFigures after = cipher_figures();
  EXPECT_EQ(after.pages_encrypted, before.pages_encrypted);
  EXPECT_EQ(after.pages_decrypted, before.pages_decrypted);
  EXPECT_EQ(read_file(dir.file("a.db-wal")).size(), 0u);
  EXPECT_EQ(state(db), "300 212292");
  RawDatabase again(dir.file("a.db"), test_key());
  EXPECT_EQ(state(again), "300 212292");
}

TEST(WalFile, P13AReaderKeepsItsSnapshotOverCheckpointsAndRestarts) {
  const Directory dir;
  RawDatabase writer(dir.file("a.db"), test_key());
  writer.must(kWal);
  writer.must(kTable);
  writer.must(insert_rows(1, 50, 500));
  RawDatabase reader(dir.file("a.db"), test_key());
  reader.must("BEGIN");
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t"), "50");
  for (int i = 1; i <= 20; ++i) {
    writer.must(insert_rows(i * 100, i * 100 + 9, 500));
    writer.must("PRAGMA wal_checkpoint(PASSIVE)");
    EXPECT_EQ(reader.ask("SELECT count(*) FROM t"), "50");
  }
  reader.must("COMMIT");
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t"), "250");
  for (int i = 30; i <= 40; ++i) {
    writer.must(insert_rows(i * 100, i * 100 + 9, 500));
    writer.must("PRAGMA wal_checkpoint(RESTART)");
  }
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t"), "360");
  EXPECT_EQ(reader.ask("PRAGMA integrity_check"), "ok");
}

TEST(WalFile, ADamagedFrameIsFoundWhenItIsRead) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key());
  db.must(kWal);
  db.must(kTable);
  db.must(insert_rows(1, 100, 700));
  Bytes wal = read_file(dir.file("a.db-wal"));
  for (std::size_t at = 32 + 24 + 500; at < wal.size(); at += 1048) wal[at] ^= 4;
  std::fstream(dir.file("a.db-wal"), std::ios::in | std::ios::out | std::ios::binary)
      .write(reinterpret_cast<const char*>(wal.data()), static_cast<std::streamsize>(wal.size()));
  RawDatabase other(dir.file("a.db"), test_key());
  EXPECT_EQ(other.run("SELECT sum(length(body)) FROM t"), SQLITE_NOTADB);  // page 1 is in the log too
}

TEST(WalFile, P24NobodyElseAttachesWhileTheLogIsOurs) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key());
  db.must(kWal);
  db.must(kTable);
  db.must(insert_rows(1, 5, 100));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // another program: stock SQLite, which sees the same locks as SQLite3MC would
    sqlite3* other = nullptr;
    sqlite3_open_v2(dir.file("a.db").c_str(), &other, SQLITE_OPEN_READWRITE, "unix");
    const int rc = sqlite3_exec(other, "PRAGMA schema_version", nullptr, nullptr, nullptr);
    ::_exit(rc == SQLITE_OK ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  db.must(insert_rows(6, 9, 100));
}

TEST(WalFile, P24ASharedLogTellsOthersTheChecksumTheyMustChainFrom) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key(), {.more = "&shared=1"});
  db.must(kWal);
  db.must(kTable);
  for (int i = 1; i <= 5; ++i) {
    db.must(insert_rows(i, i, 300));
    const Bytes wal = read_file(dir.file("a.db-wal"));
    const Bytes index = read_file(dir.file("a.db-shm"));
    std::uint32_t frames;
    std::uint32_t sum[2];
    std::memcpy(&frames, index.data() + kIndexMaxFrame, 4);
    std::memcpy(sum, index.data() + kIndexFrameSum, 8);
    const Byte* const last = wal.data() + kWalHeader + (frames - 1) * 1048;
    EXPECT_EQ(sum[0], load_be32(last + 16));
    EXPECT_EQ(sum[1], load_be32(last + 20));
    EXPECT_TRUE(std::equal(index.begin(), index.begin() + 48, index.begin() + 48));
  }
  EXPECT_EQ(state(db), "5 1530");
}

TEST(WalFile, P26AWriteThatSqliteNeverMakesIsRefused) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key());
  db.must(kWal);
  db.must(kTable);
  sqlite3_file* wal = nullptr;
  ASSERT_EQ(sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal), SQLITE_OK);
  const Bytes some(2000, 1);
  EXPECT_EQ(wal->pMethods->xWrite(wal, some.data(), 100, 32), SQLITE_IOERR_WRITE);
  EXPECT_EQ(wal->pMethods->xWrite(wal, some.data(), 1048, 32), SQLITE_IOERR_WRITE);
  EXPECT_EQ(wal->pMethods->xWrite(wal, some.data(), 32, 0), SQLITE_IOERR_WRITE);
  // A page without its header, over a frame that is committed.
  EXPECT_EQ(wal->pMethods->xWrite(wal, some.data(), 1024, 56), SQLITE_IOERR_WRITE);
  // A page without its header, beyond the end.
  EXPECT_EQ(wal->pMethods->xWrite(wal, some.data(), 1024, 56 + 1048 * 100), SQLITE_IOERR_WRITE);
  Bytes out(2000);
  EXPECT_EQ(wal->pMethods->xRead(wal, out.data(), 100, 40), SQLITE_IOERR_READ);
  db.must(insert_rows(1, 5, 300));
  EXPECT_EQ(state(db), "5 1530");
}

TEST(WalFile, ADeadDiskAtACommitRollsItBackAndTheNextOneWorks) {
  const Directory dir;
  start_recording(kMarker);
  RawDatabase db(dir.file("a.db"), test_key(), {.vfs = kWatchedVfs});
  db.must(kWal + "PRAGMA cache_size=5;");
  db.must(kTable);
  db.must(insert_rows(1, 20, 500));
  for (const int rc : {SQLITE_FULL, SQLITE_IOERR_WRITE}) {
    for (const std::uint64_t nth : {1u, 2u, 3u}) {
      fail_call(Op::write, nth, rc, true);
      EXPECT_NE(db.run("BEGIN;" + insert_rows(100, 3000, 900) + "COMMIT"), SQLITE_OK);
      fail_nothing();
      db.run("ROLLBACK");
      EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "20");
      db.must(insert_rows(5000, 5000, 100));
      db.must("DELETE FROM t WHERE id = 5000");
    }
  }
  db.close();
  RawDatabase again(dir.file("a.db"), test_key());
  EXPECT_EQ(again.ask("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(again.ask("SELECT count(*) FROM t"), "20");
  EXPECT_EQ(recorded().leaks, 0u);
}

}  // namespace
}  // namespace muhur::vault::testing

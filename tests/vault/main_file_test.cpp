// The database file. A pitfall is named by its number in docs/vault.md.
#include <gtest/gtest.h>

#include "vault/page_cipher.hpp"
#include "vault/raw_database.hpp"
#include "vault/recording_vfs.hpp"

namespace muhur::vault::testing {
namespace {

// Four full pages in rollback mode.
void make_database(const std::string& path, const Key& key = test_key(), const How& how = {}) {
  RawDatabase db(path, key, how);
  db.must("PRAGMA page_size=1024; PRAGMA auto_vacuum=FULL;");
  db.must(kTable);
  db.must(insert_rows(1, 40, 300));
}

TEST(MainFile, NothingOfADatabaseCanBeReadInItsFile) {
  const Directory dir;
  make_database(dir.file("a.db"));
  const Bytes bytes = read_file(dir.file("a.db"));
  EXPECT_FALSE(contains(bytes, "CREATE TABLE"));
  EXPECT_FALSE(contains(bytes, kMarker));
  EXPECT_FALSE(contains(bytes, "SQLite format 3"));
  EXPECT_EQ(page_size_in(bytes.data()), 1024u);
  EXPECT_EQ(bytes[20], 32);
}

TEST(MainFile, AWrongKeyIsNotADatabaseAndChangesNothing) {
  const Directory dir;
  make_database(dir.file("a.db"));
  const Bytes before = read_file(dir.file("a.db"));
  RawDatabase db(dir.file("a.db"), test_key(8));
  EXPECT_EQ(db.run("SELECT * FROM t"), SQLITE_NOTADB);
  EXPECT_EQ(db.run("CREATE TABLE u(x)"), SQLITE_NOTADB);
  EXPECT_EQ(db.run("PRAGMA journal_mode=WAL"), SQLITE_NOTADB);
  db.close();
  EXPECT_EQ(read_file(dir.file("a.db")), before);
}

TEST(MainFile, AKeyForAPlainDatabaseIsRefusedAndAPlainOneNeedsNone) {
  const Directory dir;
  RawDatabase plain;
  plain.open("file:" + dir.file("p.db") + "?vfs=muhur", {.reserve = 0});
  plain.must(kTable);
  plain.must(insert_rows(1, 3, 100));
  EXPECT_EQ(plain.ask("PRAGMA integrity_check"), "ok");
  EXPECT_TRUE(contains(read_file(dir.file("p.db")), kMarker));
  RawDatabase db(dir.file("p.db"), test_key());
  EXPECT_EQ(db.run("SELECT * FROM t"), SQLITE_NOTADB);
}

TEST(MainFile, AHandleThatNobodyRegisteredOpensNothing) {
  const Directory dir;
  RawDatabase db;
  db.open("file:" + dir.file("a.db") + "?vfs=muhur&keyid=00112233445566778899aabbccddeeff");
  EXPECT_EQ(db.opened(), SQLITE_CANTOPEN);
}

TEST(MainFile, ParametersThatAreNotKnownOpenNothing) {
  const Directory dir;
  for (const char* more : {"&cipher=rc4", "&cipher=aes256cbc", "&kdf_iter=0", "&kdf_iter=x", "&hmac_check=2",
                           "&plaintext_header_size=101", "&cipher_salt=00", "&legacy_page_size=1000"})
    EXPECT_EQ(RawDatabase(dir.file("a.db"), test_key(), {.more = more}).opened(), SQLITE_CANTOPEN) << more;
}

TEST(MainFile, APlaintextHeaderWithItsSaltRoundTrips) {
  const Directory dir;
  const How how{.more = "&plaintext_header_size=32&cipher_salt=00112233445566778899aabbccddeeff"};
  make_database(dir.file("a.db"), test_passphrase(), how);
  EXPECT_TRUE(contains(read_file(dir.file("a.db")), "SQLite format 3"));
  RawDatabase db(dir.file("a.db"), test_passphrase(), how);
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
}

TEST(MainFile, EveryFlippedByteOfAPageIsFoundAndReportedAsWhatItIs) {
  const Directory dir;
  make_database(dir.file("a.db"));
  const Bytes good = read_file(dir.file("a.db"));
  for (std::size_t at = 0; at < good.size(); at += at < 1024 ? 7 : 509) {
    Bytes bad = good;
    bad[at] ^= 0x01;
    write_file(dir.file("a.db"), bad);
    RawDatabase db(dir.file("a.db"), test_key());
    const int rc = db.run("SELECT sum(length(body)) FROM t; PRAGMA integrity_check");
    if (at < 1024)
      EXPECT_EQ(rc, SQLITE_NOTADB) << at;
    else if (rc != SQLITE_CORRUPT)  // integrity_check tells of a damaged page in a row
      EXPECT_NE(db.ask("PRAGMA integrity_check"), "ok") << at;
  }
}

TEST(MainFile, SwappedRepeatedAndZeroedPagesAreCorrupt) {
  const Directory dir;
  make_database(dir.file("a.db"));
  const Bytes good = read_file(dir.file("a.db"));
  const auto damage = [&](const std::function<void(Bytes&)>& how) {
    Bytes bad = good;
    how(bad);
    write_file(dir.file("a.db"), bad);
    RawDatabase db(dir.file("a.db"), test_key());
    return db.run("SELECT sum(length(body)) FROM t");
  };
  const auto page = [](Bytes& b, int n) { return b.begin() + 1024 * (n - 1); };
  EXPECT_EQ(damage([](Bytes&) {}), SQLITE_OK);
  EXPECT_EQ(damage([&](Bytes& b) { std::swap_ranges(page(b, 5), page(b, 6), page(b, 7)); }), SQLITE_CORRUPT);
  EXPECT_EQ(damage([&](Bytes& b) { std::copy(page(b, 5), page(b, 6), page(b, 6)); }), SQLITE_CORRUPT);
  EXPECT_EQ(damage([&](Bytes& b) { std::fill(page(b, 6), page(b, 7), 0); }), SQLITE_CORRUPT);
  EXPECT_EQ(damage([&](Bytes& b) { std::fill(page(b, 1), page(b, 2), 0); }), SQLITE_NOTADB);
}

TEST(MainFile, ACutFileIsCorruptWhereverItIsCut) {
  const Directory dir;
  make_database(dir.file("a.db"));
  const Bytes good = read_file(dir.file("a.db"));
  for (const std::size_t size :
       {good.size() - 1, good.size() - 1024, good.size() - 1500, std::size_t{1024}}) {
    write_file(dir.file("a.db"), Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    RawDatabase db(dir.file("a.db"), test_key());
    EXPECT_EQ(db.run("SELECT sum(length(body)) FROM t") & 0xff, SQLITE_CORRUPT) << size;
  }
  write_file(dir.file("a.db"), Bytes(good.begin(), good.begin() + 700));
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_NE(db.run("SELECT sum(length(body)) FROM t"), SQLITE_OK);
}

// With auto_vacuum, CREATE TABLE after rows in one transaction read back a page beyond the end of the file
// and was told that the file is damaged.
TEST(MainFile, ATransactionMayReadPagesThatItAddedBeyondTheEnd) {
  for (const char* const journal : {"WAL", "DELETE"}) {
    const Directory dir;
    RawDatabase db(dir.file("a.db"), test_key());
    db.must("PRAGMA auto_vacuum=INCREMENTAL;");
    db.must("PRAGMA journal_mode=" + std::string(journal));
    db.must("BEGIN; CREATE TABLE a(x);");
    db.must(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 500) "
        "INSERT INTO a SELECT randomblob(900) FROM n;");
    db.must("CREATE TABLE b(x); COMMIT;");
    EXPECT_EQ(db.ask("SELECT count(*) FROM a"), "500");
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  }
}

TEST(MainFile, P1TheHeaderIsServedForEveryPageSizeAndAutoVacuumMode) {
  for (const char* size : {"512", "1024", "4096", "65536"}) {
    for (const char* mode : {"0", "1", "2"}) {
      const Directory dir;
      {
        RawDatabase db(dir.file("a.db"), test_key());
        db.must(std::string("PRAGMA page_size=") + size + "; PRAGMA auto_vacuum=" + mode + ";" + kTable);
      }
      RawDatabase db(dir.file("a.db"), test_key());
      EXPECT_EQ(db.ask("PRAGMA page_size"), size);
      EXPECT_EQ(db.ask("PRAGMA auto_vacuum"), mode);
    }
  }
}

TEST(MainFile, P2ACommitByAnotherConnectionIsSeenInRollbackMode) {
  const Directory dir;
  make_database(dir.file("a.db"));
  RawDatabase a(dir.file("a.db"), test_key());
  RawDatabase b(dir.file("a.db"), test_key());
  for (int i = 100; i < 120; ++i) {
    (i % 2 ? a : b).must(insert_rows(i, i, 50));
    EXPECT_EQ(a.ask("SELECT max(id) FROM t"), std::to_string(i));
    EXPECT_EQ(b.ask("SELECT max(id) FROM t"), std::to_string(i));
  }
}

TEST(MainFile, P2AnUnchangedDatabaseIsAskedForItsTrailerOnly) {
  const Directory dir;
  start_recording("");
  const How how{.vfs = kWatchedVfs};
  make_database(dir.file("a.db"), test_key(), how);
  RawDatabase db(dir.file("a.db"), test_key(), how);
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  record_calls_of(SQLITE_OPEN_MAIN_DB);
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  EXPECT_EQ(recorded().calls, std::vector<std::string>{"read 32@992"});
}

TEST(MainFile, P5WithoutTheReserveNothingIsWritten) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key(), {.reserve = 0});
  EXPECT_EQ(db.run(kTable), SQLITE_IOERR_WRITE);
  db.close();
  EXPECT_FALSE(contains(read_file(dir.file("a.db")), "CREATE"));
}

TEST(MainFile, P5AnAttachedOrVacuumedIntoDatabaseNeedsTheReserveToo) {
  const Directory dir;
  const RegisteredKey other(test_key(9));
  RawDatabase plain;
  plain.open("file:" + dir.file("p.db") + "?vfs=muhur", {.reserve = 0});
  plain.must(kTable);
  plain.must(insert_rows(1, 3, 100));
  EXPECT_NE(plain.run("VACUUM INTO '" + uri(dir.file("v.db"), other) + "'"), SQLITE_OK);
  EXPECT_FALSE(contains(read_file(dir.file("v.db")), kMarker));
  plain.must("ATTACH '" + uri(dir.file("b.db"), other) + "' AS b");
  EXPECT_EQ(plain.run("CREATE TABLE b.t(x)"), SQLITE_IOERR_WRITE);
  plain.must("DETACH b; ATTACH '" + uri(dir.file("b.db"), other) + "' AS b");
  int reserve = kReservedBytes;
  sqlite3_file_control(plain.handle(), "b", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
  plain.must("CREATE TABLE b.t AS SELECT * FROM main.t");
  EXPECT_FALSE(contains(read_file(dir.file("b.db")), kMarker));
}

TEST(MainFile, P6AVacuumToAnotherPageSizeIsRefusedAndHarmsNothing) {
  const Directory dir;
  make_database(dir.file("a.db"));
  {
    RawDatabase db(dir.file("a.db"), test_key());
    db.must("PRAGMA page_size=4096");
    EXPECT_NE(db.run("VACUUM"), SQLITE_OK);
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  }
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  EXPECT_EQ(db.ask("PRAGMA page_size"), "1024");
}

TEST(MainFile, P7SecureDeleteCannotBeTurnedOff) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key());
  db.must(kTable);
  for (const char* off : {"OFF", "0", "FAST", "no", "false", "2"}) {
    EXPECT_EQ(db.run(std::string("PRAGMA secure_delete=") + off), SQLITE_ERROR) << off;
    EXPECT_EQ(db.ask("PRAGMA secure_delete"), "1");
  }
  db.must("PRAGMA secure_delete=ON");
}

TEST(MainFile, P7FreedPagesCanBeReadByABackup) {
  const Directory dir;
  make_database(dir.file("a.db"));
  RawDatabase from(dir.file("a.db"), test_key());
  from.must("PRAGMA cache_size=5; BEGIN;" + insert_rows(1000, 1400, 900) +
            "DELETE FROM t WHERE id > 20; COMMIT");
  RawDatabase to(dir.file("b.db"), test_key(3));
  sqlite3_backup* backup = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  ASSERT_TRUE(backup);
  EXPECT_EQ(sqlite3_backup_step(backup, -1), SQLITE_DONE);
  EXPECT_EQ(sqlite3_backup_finish(backup), SQLITE_OK);
  EXPECT_EQ(to.ask("SELECT count(*) FROM t"), "20");
  EXPECT_EQ(to.ask("PRAGMA integrity_check"), "ok");
}

TEST(MainFile, P14ADeviceThatClaimsAtomicWritesIsNotBelieved) {
  const Directory dir;
  start_recording(kMarker);
  const How how{.more = "&psow=0", .vfs = kWatchedVfs};
  {
    RawDatabase db(dir.file("a.db"), test_key(), how);
    db.must("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
    db.must(kTable);
    db.must(insert_rows(1, 50, 2000));
    db.must("PRAGMA journal_mode=DELETE");
    db.must(insert_rows(51, 60, 2000));
  }
  EXPECT_EQ(recorded().leaks, 0u);
  RawDatabase db(dir.file("a.db"), test_key(), how);
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "60");
}

TEST(MainFile, P15MemoryMappingStaysOff) {
  const Directory dir;
  RawDatabase db(dir.file("a.db"), test_key());
  db.must("PRAGMA mmap_size=268435456;");
  EXPECT_EQ(db.ask("PRAGMA mmap_size"), "0");
  db.must(kTable);
  db.must(insert_rows(1, 100, 1000));
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
}

TEST(MainFile, P18ADatabaseMadeAnewUnderAnOpenHandleIsReadUnderItsNewSalt) {
  const Directory dir;
  make_database(dir.file("a.db"), test_passphrase());
  make_database(dir.file("b.db"), test_passphrase());
  RawDatabase db(dir.file("a.db"), test_passphrase());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  {
    RawDatabase b(dir.file("b.db"), test_passphrase());
    b.must("DELETE FROM t WHERE id > 5");
  }
  const Bytes other = read_file(dir.file("b.db"));
  std::fstream(dir.file("a.db"), std::ios::in | std::ios::out | std::ios::binary)
      .write(reinterpret_cast<const char*>(other.data()), static_cast<std::streamsize>(other.size()));
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "5");
}

TEST(MainFile, P21BackupsBetweenKeysWorkAndFromAPlainOneWithoutReserveDoNot) {
  const Directory dir;
  const auto backup = [](RawDatabase& from, RawDatabase& to) {
    sqlite3_backup* b = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
    if (!b) return sqlite3_errcode(to.handle());
    sqlite3_backup_step(b, -1);
    return sqlite3_backup_finish(b);
  };
  const auto plain = [&](RawDatabase& db, const char* name, int reserve) {
    db.open("file:" + dir.file(name) + "?vfs=muhur", {.reserve = reserve});
    db.must("PRAGMA page_size=1024");
    db.must(kTable);
    db.must(insert_rows(1, 5, 100));
  };
  make_database(dir.file("a.db"));
  RawDatabase a(dir.file("a.db"), test_key());
  RawDatabase other_key(dir.file("b.db"), test_key(2));
  EXPECT_EQ(backup(a, other_key), SQLITE_OK);
  EXPECT_EQ(other_key.ask("SELECT count(*) FROM t"), "40");
  RawDatabase to_plain;
  plain(to_plain, "c.db", 32);
  EXPECT_EQ(backup(a, to_plain), SQLITE_OK);
  EXPECT_EQ(to_plain.ask("SELECT count(*) FROM t"), "40");
  RawDatabase reserved;
  plain(reserved, "d.db", 32);
  EXPECT_EQ(backup(reserved, other_key), SQLITE_OK);
  EXPECT_EQ(other_key.ask("SELECT count(*) FROM t"), "5");
  RawDatabase bare;
  plain(bare, "e.db", 0);
  EXPECT_NE(backup(bare, other_key), SQLITE_OK);
  EXPECT_EQ(other_key.ask("SELECT count(*) FROM t"), "5");
  EXPECT_FALSE(contains(read_file(dir.file("b.db")), kMarker));
}

TEST(MainFile, P22APlainDatabaseMovesInAndOutByVacuumInto) {
  const Directory dir;
  const RegisteredKey key(test_key());
  RawDatabase plain;
  plain.open("file:" + dir.file("p.db") + "?vfs=muhur", {.reserve = 0});
  plain.must(kTable);
  plain.must(insert_rows(1, 200, 300));
  int reserve = kReservedBytes;
  sqlite3_file_control(plain.handle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
  plain.must("VACUUM INTO '" + uri(dir.file("e.db"), key) + "'");
  EXPECT_FALSE(contains(read_file(dir.file("e.db")), kMarker));
  RawDatabase encrypted(dir.file("e.db"), test_key());
  EXPECT_EQ(encrypted.ask("SELECT count(*) FROM t"), "200");
  encrypted.must("VACUUM INTO 'file:" + dir.file("out.db") + "?vfs=unix'");
  RawDatabase out;
  out.open("file:" + dir.file("out.db"), {.reserve = -1});
  EXPECT_EQ(out.ask("SELECT count(*) FROM t"), "200");
}

TEST(MainFile, P25AReadOnlyWalIndexIsRefused) {
  const Directory dir;
  make_database(dir.file("a.db"));
  EXPECT_EQ(RawDatabase(dir.file("a.db"), test_key(), {.more = "&readonly_shm=1"}).opened(), SQLITE_CANTOPEN);
}

TEST(MainFile, P26AWriteThatIsNoPageIsRefused) {
  const Directory dir;
  make_database(dir.file("a.db"));
  const Bytes before = read_file(dir.file("a.db"));
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  sqlite3_file* file = nullptr;
  sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  const Bytes some(4096, 1);
  EXPECT_EQ(file->pMethods->xWrite(file, some.data(), 16, 24), SQLITE_IOERR_WRITE);
  EXPECT_EQ(file->pMethods->xWrite(file, some.data(), 1024, 512), SQLITE_IOERR_WRITE);
  EXPECT_EQ(file->pMethods->xWrite(file, some.data(), 4096, 4096), SQLITE_IOERR_WRITE);
  EXPECT_EQ(file->pMethods->xWrite(file, some.data(), 1024, 0), SQLITE_IOERR_WRITE);
  EXPECT_EQ(read_file(dir.file("a.db")), before);
}

TEST(MainFile, P3AReadOfAPartOfPagesIsServedFromWholeVerifiedOnes) {
  const Directory dir;
  make_database(dir.file("a.db"));
  RawDatabase db(dir.file("a.db"), test_key());
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  sqlite3_file* file = nullptr;
  sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  Bytes whole(3 * 1024);
  ASSERT_EQ(file->pMethods->xRead(file, whole.data(), 3 * 1024, 0), SQLITE_OK);
  EXPECT_TRUE(contains(Bytes(whole.begin(), whole.begin() + 16), "SQLite format 3"));
  for (const auto& [at, amount] : {std::pair{0, 1}, {1000, 100}, {1023, 1026}, {24, 16}, {2048, 512}}) {
    Bytes part(static_cast<std::size_t>(amount));
    ASSERT_EQ(file->pMethods->xRead(file, part.data(), amount, at), SQLITE_OK);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + at)) << at;
  }
  EXPECT_EQ(file->pMethods->xDeviceCharacteristics(file) & 0x8000, 0);
}

}  // namespace
}  // namespace muhur::vault::testing

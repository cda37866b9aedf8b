#include "vault/raw_database.hpp"
#include "vault/recording_vfs.hpp"
#include "vault/rekey_pages.hpp"

namespace muhur::vault::testing {
namespace {

void make(const std::string& path, const Key& key, const How& how, const std::string& mode = "DELETE") {
  RawDatabase db(path, key, how);
  db.must("PRAGMA page_size=1024; PRAGMA journal_mode=" + mode);
  db.must(kTable);
  db.must(insert_rows(1, 60, 300));
}

int rekey(RawDatabase& db, const Key& key, std::string* why = nullptr) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  std::string ignored;
  return rekey_pages(db.handle(), "main", *file_of(file)->encrypted(),
                     std::make_shared<const Key>(key.copy()), {}, why ? *why : ignored);
}

std::string content(const std::string& path, const Key& key, const How& how = {}) {
  RawDatabase db(path, key, how);
  return db.ask("SELECT count(*)||' '||sum(length(body)) FROM t") + " " + db.ask("PRAGMA integrity_check");
}

TEST(Rekey, EveryPageIsUnderTheNewKeyAndTheConnectionGoesOn) {
  for (const char* mode : {"DELETE", "WAL", "PERSIST", "TRUNCATE"}) {
    const Directory dir;
    const std::string path = dir.file("a.db");
    make(path, test_passphrase(), {}, mode);
    const std::string before = content(path, test_passphrase());
    const Bytes old_bytes = read_file(path);
    {
      RawDatabase db(path, test_passphrase());
      db.must(std::string("PRAGMA journal_mode=") + mode);
      EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "60");
      ASSERT_EQ(rekey(db, test_key(9)), SQLITE_OK) << mode;
      EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "60");
      db.must("UPDATE t SET body = body || ''");
    }
    EXPECT_EQ(content(path, test_key(9)), before) << mode;
    RawDatabase old(path, test_passphrase());
    EXPECT_EQ(old.run("SELECT count(*) FROM t"), SQLITE_NOTADB);
    const Bytes new_bytes = read_file(path);
    EXPECT_EQ(std::memcmp(new_bytes.data(), old_bytes.data(), kSaltSize), 0) << "the salt stays";
  }
}

TEST(Rekey, OlderCiphersKeepTheirCipher) {
  for (const char* cipher : {"&cipher=sqleet", "&cipher=aes256cbc"}) {
    const Directory dir;
    const How how{.more = std::string(cipher) + "&legacy_page_size=1024",
                  .reserve = std::string_view(cipher).ends_with("cbc") ? 0 : kReservedBytes};
    make(dir.file("a.db"), test_passphrase(), how);
    const Key other = Key::passphrase(as_bytes("another"));
    {
      RawDatabase db(dir.file("a.db"), test_passphrase(), how);
      ASSERT_EQ(rekey(db, other), SQLITE_OK) << cipher;
    }
    EXPECT_EQ(content(dir.file("a.db"), other, how).substr(0, 3), "60 ") << cipher;
  }
}

TEST(Rekey, ADamagedPageOrAnotherUserRefusesItAndChangesNothing) {
  const Directory dir;
  const std::string path = dir.file("a.db");
  make(path, test_key(), {});
  Bytes bytes = read_file(path);
  bytes[5 * 1024 + 7] ^= 1;
  write_file(path, bytes);
  std::string why;
  {
    RawDatabase db(path, test_key());
    EXPECT_EQ(rekey(db, test_key(9), &why), SQLITE_CORRUPT);
  }
  EXPECT_EQ(why, "page 6 is damaged");
  EXPECT_EQ(read_file(path), bytes);
  EXPECT_FALSE(std::filesystem::exists(path + "-journal"));

  bytes[5 * 1024 + 7] ^= 1;
  write_file(path, bytes);
  for (const char* mode : {"DELETE", "WAL"}) {
    RawDatabase other(path, test_key());
    other.must(std::string("PRAGMA journal_mode=") + mode);
    other.must("BEGIN; SELECT * FROM t LIMIT 1");
    RawDatabase db(path, test_key());
    EXPECT_EQ(rekey(db, test_key(9)) & 0xff, SQLITE_BUSY) << mode;
    other.must("COMMIT");
    db.must("BEGIN IMMEDIATE");
    EXPECT_EQ(rekey(db, test_key(9)) & 0xff, SQLITE_BUSY) << mode;
  }
  EXPECT_EQ(content(path, test_key()).substr(0, 3), "60 ");
}

TEST(Rekey, AnIoErrorAtAnyCallLeavesTheOldKeyOrTheNewOneNeverAMixture) {
  const How how{.vfs = kWatchedVfs};
  for (const Op op : {Op::write, Op::sync, Op::truncate}) {
    for (const bool sticky : {false, true}) {
      bool whole = false;
      for (std::uint64_t nth = 1; !whole; nth += op == Op::write ? 7 : 1) {
        ASSERT_LT(nth, 2000u);
        const Directory dir;
        const std::string path = dir.file("a.db");
        start_recording("nothing of that kind");
        make(path, test_key(), how);
        const std::string before = content(path, test_key(), how);
        int rc = SQLITE_OK;
        {
          RawDatabase db(path, test_key(), how);
          db.must("SELECT count(*) FROM t");
          fail_call(op, nth, op == Op::write ? SQLITE_IOERR_WRITE : SQLITE_IOERR_FSYNC, sticky);
          rc = rekey(db, test_key(9));
          whole = calls_since() < nth;
          if (rc == SQLITE_OK) {
            EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "60");
          }
          fail_nothing();
        }
        EXPECT_EQ(content(path, test_key(rc == SQLITE_OK ? 9 : 7), how), before)
            << static_cast<int>(op) << " call " << nth << (sticky ? " and after" : "");
      }
    }
  }
}

TEST(Rekey, AJournalThatAKillLeavesIsPlayedBackUnderTheOldPassphrase) {
  const Directory dir;
  const std::string path = dir.file("a.db");
  const How how{.vfs = kWatchedVfs};
  start_recording("nothing of that kind");
  make(path, test_passphrase(), how);
  const std::string before = content(path, test_passphrase());
  const auto pages = std::filesystem::file_size(path) / 1024;
  {
    RawDatabase db(path, test_passphrase(), how);
    db.must("SELECT count(*) FROM t");
    // Header, records, header again: then every page but the last few is written before the disk goes.
    fail_call(Op::write, 2 + pages + pages - 3, SQLITE_IOERR_WRITE, true);
    EXPECT_NE(rekey(db, test_key(9)), SQLITE_OK);
    fail_nothing();
    EXPECT_TRUE(std::filesystem::exists(path + "-journal"));
    std::filesystem::copy_file(path, dir.file("b.db"));
    std::filesystem::copy_file(path + "-journal", dir.file("b.db-journal"));
  }
  RawDatabase fresh(dir.file("b.db"), test_key(9));
  EXPECT_NE(fresh.run("SELECT count(*) FROM t"), SQLITE_OK);
  fresh.close();
  EXPECT_EQ(content(dir.file("b.db"), test_passphrase()), before);
}

}  // namespace
}  // namespace muhur::vault::testing

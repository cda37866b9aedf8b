// A key given after opening: by PRAGMA, in the URI, or inherited. tests/interop/extension.test.mjs does the
// same through programs that load the extension.
#include "base/encoding.hpp"
#include "vault/raw_database.hpp"

namespace muhur::vault::testing {
namespace {

constexpr const char* kKeyable = "muhur-keyable";

class KeyableFileTest : public ::testing::Test {
 protected:
  KeyableFileTest() { EXPECT_TRUE(register_keyable_vfs(kKeyable, false)); }

  std::string name(const std::string& file, const std::string& more = "") const {
    return "file:" + dir_.file(file) + "?vfs=" + kKeyable + more;
  }
  // No reserve is asked for: the file has to do that itself.
  void open(RawDatabase& db, const std::string& file, const std::string& more = "") const {
    db.open(name(file, more), {.reserve = -1});
  }
  void make(const std::string& file, const std::string& pragmas = "PRAGMA key='open sesame'") const {
    RawDatabase db;
    open(db, file);
    db.must(pragmas);
    db.must(kTable);
    db.must(insert_rows(1, 40, 300));
  }
  Bytes bytes(const std::string& file) const { return read_file(dir_.file(file)); }

  const Directory dir_;
};

TEST_F(KeyableFileTest, ADatabaseMadeUnderAPragmaKeyIsEncryptedAndOpensWithIt) {
  make("a.db");
  EXPECT_FALSE(contains(bytes("a.db"), kMarker));
  EXPECT_EQ(bytes("a.db")[20], 32);
  RawDatabase db;
  open(db, "a.db");
  EXPECT_EQ(db.ask("PRAGMA key='open sesame'"), "ok");
  EXPECT_EQ(db.ask("PRAGMA cipher"), "chacha20");
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  RawDatabase vault(dir_.file("a.db"), Key::passphrase(as_bytes("open sesame")));
  EXPECT_EQ(vault.ask("SELECT count(*) FROM t"), "40");
}

TEST_F(KeyableFileTest, WithoutAKeyNothingIsReadAndNoJournalIsTouched) {
  in_killed_child([&] {
    RawDatabase db;
    open(db, "a.db");
    db.must("PRAGMA key='open sesame'; PRAGMA cache_size=5");
    db.must(kTable);
    db.must("BEGIN");
    db.must(insert_rows(1, 400, 300));
  });
  const Bytes journal = bytes("a.db-journal");
  ASSERT_FALSE(journal.empty());
  RawDatabase db;
  open(db, "a.db");
  EXPECT_EQ(db.run("SELECT * FROM sqlite_schema"), SQLITE_NOTADB);
  EXPECT_EQ(db.run("CREATE TABLE u(x)"), SQLITE_NOTADB);
  EXPECT_EQ(db.run("PRAGMA journal_mode=WAL"), SQLITE_NOTADB);
  EXPECT_EQ(bytes("a.db-journal"), journal);
  db.must("PRAGMA key='open sesame'");
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "0");
  EXPECT_FALSE(std::filesystem::exists(dir_.file("a.db-journal")));
}

TEST_F(KeyableFileTest, AWrongKeyMayBeReplacedByTheRightOneAlsoInWalMode) {
  for (const char* mode : {"DELETE", "WAL"}) {
    const std::string file = std::string(mode) + ".db";
    make(file, std::string("PRAGMA key='open sesame'; PRAGMA journal_mode=") + mode);
    RawDatabase db;
    open(db, file);
    db.must("PRAGMA key='wrong'");
    EXPECT_EQ(db.run("SELECT count(*) FROM t"), SQLITE_NOTADB);
    db.must("PRAGMA key='open sesame'");
    EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
    EXPECT_EQ(db.run("PRAGMA key='wrong'"), SQLITE_ERROR);
    EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  }
}

TEST_F(KeyableFileTest, AutoVacuumIsKnownAlthoughTheFileWasLockedWhenItWasOpened) {
  make("a.db", "PRAGMA key='open sesame'; PRAGMA page_size=1024; PRAGMA auto_vacuum=FULL");
  RawDatabase db;
  open(db, "a.db");
  db.must("PRAGMA key='open sesame'");
  EXPECT_EQ(db.ask("PRAGMA auto_vacuum"), "1");
  db.must("DELETE FROM t WHERE id > 5");
  EXPECT_EQ(db.ask("PRAGMA freelist_count"), "0");
  EXPECT_EQ(db.ask("PRAGMA page_size"), "1024");
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
}

TEST_F(KeyableFileTest, TheFormsOfAKeyMeanTheSameAndTheUriTakesThemToo) {
  const std::string hex(64, 'a');
  make("raw.db", "PRAGMA key='raw:" + hex + "'");
  const std::string as_text = to_hex(as_bytes("raw:" + hex));
  for (const std::string& pragma : {"PRAGMA key=\"x'" + hex + "'\"", "PRAGMA hexkey='" + as_text + "'",
                                    "PRAGMA textkey='raw:" + hex + "'"}) {
    RawDatabase db;
    open(db, "raw.db");
    db.must(pragma);
    EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40") << pragma;
  }
  for (const std::string& more : {"&key=raw:" + hex, "&hexkey=" + as_text}) {
    RawDatabase db;
    open(db, "raw.db", more);
    EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40") << more;
  }
  RawDatabase db;
  open(db, "raw.db", "&hexkey=0");
  EXPECT_EQ(db.opened(), SQLITE_CANTOPEN);
  RawDatabase other;
  open(other, "raw.db");
  EXPECT_EQ(other.run("PRAGMA hexkey='xyz'"), SQLITE_ERROR);
}

TEST_F(KeyableFileTest, AnOlderCipherIsFoundOutFromThePassphraseAndSaid) {
  {
    RawDatabase db(dir_.file("old.db"), test_passphrase(), {.more = "&cipher=aes256cbc", .reserve = 0});
    db.must(kTable);
    db.must(insert_rows(1, 40, 300));
  }
  RawDatabase db;
  open(db, "old.db");
  db.must("PRAGMA key='test-password-123'");
  EXPECT_EQ(db.ask("PRAGMA cipher"), "aes256cbc");
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
  RawDatabase forced;
  open(forced, "old.db");
  EXPECT_EQ(forced.ask("PRAGMA cipher='chacha20'"), "chacha20");
  forced.must("PRAGMA key='test-password-123'");
  EXPECT_EQ(forced.run("SELECT count(*) FROM t"), SQLITE_NOTADB);
  EXPECT_EQ(forced.run("PRAGMA cipher='rot13'"), SQLITE_ERROR);
}

TEST_F(KeyableFileTest, APlainDatabaseStaysPlainAndIsNotGivenAKey) {
  make("plain.db", "PRAGMA user_version=1");
  EXPECT_TRUE(contains(bytes("plain.db"), kMarker));
  RawDatabase db;
  open(db, "plain.db");
  EXPECT_EQ(db.ask("PRAGMA cipher"), "none");
  EXPECT_EQ(db.run("PRAGMA key='open sesame'"), SQLITE_ERROR);
  EXPECT_EQ(db.run("PRAGMA rekey='open sesame'"), SQLITE_ERROR);
  EXPECT_EQ(db.ask("SELECT count(*) FROM t"), "40");
}

TEST_F(KeyableFileTest, VacuumIntoAUriEncryptsAPlainDatabaseAndTakesTheKeyAway) {
  make("plain.db", "PRAGMA user_version=1");
  RawDatabase db;
  open(db, "plain.db");
  db.must("VACUUM INTO '" + name("sealed.db", "&key=other") + "'");
  EXPECT_FALSE(contains(bytes("sealed.db"), kMarker));
  RawDatabase sealed;
  open(sealed, "sealed.db", "&key=other");
  EXPECT_EQ(sealed.ask("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(sealed.ask("SELECT count(*) FROM t"), "40");
  sealed.must("VACUUM INTO '" + name("back.db", "&key=") + "'");
  EXPECT_TRUE(contains(bytes("back.db"), kMarker));
  sealed.must("VACUUM INTO '" + name("same.db") + "'");
  EXPECT_FALSE(contains(bytes("same.db"), kMarker)) << "without a key of its own it has the main database's";
}

TEST_F(KeyableFileTest, AnAttachedDatabaseHasItsOwnKeyOrThatOfTheMainOne) {
  make("a.db");
  make("b.db", "PRAGMA key='another'");
  make("c.db");
  RawDatabase db;
  open(db, "a.db");
  db.must("PRAGMA key='open sesame'");
  db.must("ATTACH '" + name("b.db", "&key=another") + "' AS b");
  db.must("ATTACH '" + name("c.db") + "' AS c");
  EXPECT_EQ(db.ask("SELECT (SELECT count(*) FROM b.t)||(SELECT count(*) FROM c.t)"), "4040");
  db.must("ATTACH '" + name("new.db", "&key=third") + "' AS d; CREATE TABLE d.u AS SELECT * FROM t");
  db.must("ATTACH '" + name("like.db") + "' AS e; CREATE TABLE e.u AS SELECT * FROM t");
  db.must("ATTACH '" + name("plain.db", "&key=") + "' AS f; CREATE TABLE f.u AS SELECT * FROM t");
  EXPECT_FALSE(contains(bytes("new.db"), kMarker));
  EXPECT_FALSE(contains(bytes("like.db"), kMarker));
  EXPECT_TRUE(contains(bytes("plain.db"), kMarker));
  EXPECT_NE(db.run("ATTACH '" + name("b.db", "&key=wrong") + "' AS g"), SQLITE_OK);
  db.must("PRAGMA e.rekey='fourth'");
  RawDatabase like;
  open(like, "like.db", "&key=fourth");
  EXPECT_EQ(like.ask("SELECT count(*) FROM u"), "40");
}

TEST_F(KeyableFileTest, HmacCheckOffReadsADamagedPage) {
  make("a.db");
  Bytes damaged = bytes("a.db");
  const std::size_t page = damaged.size() / 4096 / 2 * 4096;
  damaged[page + 2000] ^= 1;
  write_file(dir_.file("a.db"), damaged);
  RawDatabase db;
  open(db, "a.db");
  db.must("PRAGMA key='open sesame'");
  EXPECT_EQ(db.ask("PRAGMA hmac_check"), "1");
  EXPECT_EQ(db.run("SELECT sum(length(body)) FROM t"), SQLITE_CORRUPT);
  db.must("PRAGMA hmac_check=0");
  EXPECT_EQ(db.ask("PRAGMA hmac_check"), "0");
  EXPECT_EQ(db.ask("SELECT count(body) FROM t"), "40");
}

TEST_F(KeyableFileTest, AKeyAfterThePlainDatabaseWasBegunIsRefused) {
  // Once accepted, and then every write failed: SQLite had given the cipher's room on page 1 away.
  RawDatabase plain;
  open(plain, "a.db");
  plain.must("BEGIN IMMEDIATE");
  EXPECT_EQ(plain.run("PRAGMA key='open sesame'"), SQLITE_ERROR);
  plain.must("ROLLBACK");
  EXPECT_EQ(plain.run("PRAGMA key='open sesame'"), SQLITE_ERROR);
  RawDatabase db;
  open(db, "a.db");
  EXPECT_EQ(db.ask("SELECT count(*) FROM sqlite_schema"), "0");
  db.must("PRAGMA key='open sesame'");
  db.must(kTable);
  EXPECT_FALSE(contains(bytes("a.db"), "CREATE TABLE"));
}

}  // namespace
}  // namespace muhur::vault::testing

// An interrupted migration goes on where it stopped, and what comes out is what went in.
#include <fmt/format.h>

#include <fstream>

#include "fixture.hpp"
#include "vault/check.hpp"
#include "vault/migrate_cipher.hpp"
#include "vault/query.hpp"

namespace muhur::vault {
namespace {

// One of each kind of thing that a schema can hold.
constexpr std::string_view kZoo = R"(
CREATE TABLE plain(a, b TEXT UNIQUE ON CONFLICT IGNORE, c REAL);
CREATE TABLE alias(id INTEGER PRIMARY KEY, rowid TEXT, "odd ""name" BLOB);
CREATE TABLE hidden(rowid, _rowid_, oid);
CREATE TABLE numbered(id INTEGER PRIMARY KEY AUTOINCREMENT, text);
CREATE TABLE keyed(a TEXT COLLATE NOCASE, b INT, c, PRIMARY KEY(a, b DESC)) WITHOUT ROWID;
CREATE TABLE made(a INT, b AS (a * 2) STORED, c AS (a + 1), d TEXT DEFAULT 'd' CHECK(d <> 'never'));
CREATE TABLE strict(a INTEGER, b ANY) STRICT;
CREATE TABLE muhur_migration(a);
CREATE TABLE child(parent REFERENCES alias(id));
CREATE TABLE log(text);
CREATE TABLE "empty one"(a);
CREATE INDEX made_c ON made(c) WHERE a > 5;
CREATE UNIQUE INDEX lower_text ON numbered(lower(text) DESC);
CREATE VIEW sight AS SELECT a, b FROM plain;
CREATE TRIGGER noted AFTER INSERT ON plain BEGIN INSERT INTO log VALUES(new.b); END;
CREATE TRIGGER instead INSTEAD OF INSERT ON sight BEGIN INSERT INTO plain VALUES(new.a, new.b, 0); END;
CREATE VIRTUAL TABLE words USING fts5(subject, body);
INSERT INTO plain(rowid, a, b, c) VALUES(-7, NULL, 'minus', 1.5), (9223372036854775807, x'00ff', 'last', 2);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
  INSERT INTO plain(rowid, a, b, c) SELECT 3 * i, randomblob(i), 'text' || i, i / 7.0 FROM n;
INSERT INTO alias SELECT rowid, b, a FROM plain;
INSERT INTO hidden SELECT a, b, c FROM plain;
INSERT INTO numbered(text) SELECT b FROM plain;
INSERT INTO keyed SELECT b, c * 10, zeroblob(30) FROM plain;
INSERT INTO made(a) SELECT CAST(c AS INT) FROM plain;
INSERT INTO strict SELECT rowid, a FROM plain;
INSERT INTO child SELECT id FROM alias;
INSERT INTO muhur_migration SELECT b FROM plain LIMIT 9;
INSERT INTO words SELECT b, 'the body of ' || b FROM plain;
DELETE FROM numbered WHERE id > 100;
ALTER TABLE strict ADD COLUMN late TEXT DEFAULT 'late';
ALTER TABLE keyed RENAME TO "key ed";
CREATE VIEW broken AS SELECT * FROM nothing_here;
ANALYZE;
PRAGMA user_version = -3;
PRAGMA application_id = 77)";

class MigrateResumeTest : public VaultTest {
 protected:
  MigrateResumeTest() {
    options_ = {.path = file(), .new_key = &fresh_, .batch_bytes = 300, .durability = Durability::off};
  }

  void make(std::string_view pragmas = "PRAGMA page_size=1024") {
    auto made = Connection::open({.path = file(), .mode = OpenMode::create, .bare = true});
    ASSERT_TRUE(ok(made));
    ASSERT_TRUE(ok((*made)->exec(pragmas)));
    ASSERT_TRUE(ok((*made)->exec(kZoo)));
    made->reset();
    before_ = dump(nullptr);
    ASSERT_GT(before_.size(), 1000u);
  }
  // Everything that SQL can tell of it: the schema, header, and every row of every table with its types.
  std::vector<std::string> dump(const Key* with) const {
    std::vector<std::string> lines;
    auto opened = Connection::open({.path = file(), .key = with, .bare = true});
    EXPECT_TRUE(ok(opened));
    if (!opened) return lines;
    const auto add = [&](const std::string& sql) {
      EXPECT_TRUE(ok(query(**opened, sql, [&](const auto&, const std::vector<Value>& row) {
        std::string line = sql + ":";
        for (const Value& value : row) {
          line += fmt::format(" {}=", value.index());
          std::visit(
              [&]<class T>(const T& it) {
                if constexpr (std::is_same_v<T, Bytes>)
                  for (const Byte byte : it) line += fmt::format("{:02x}", static_cast<int>(byte));
                else if constexpr (!std::is_same_v<T, std::monostate>)
                  line += fmt::format("{}", it);
              },
              value);
        }
        lines.push_back(std::move(line));
        return true;
      })));
    };
    add("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
    for (const char* name :
         {"user_version", "application_id", "page_size", "encoding", "auto_vacuum", "journal_mode"})
      add(fmt::format("PRAGMA {}", name));
    for (const char* rows :
         {"rowid, * FROM plain", "_rowid_, * FROM alias", "* FROM hidden", "* FROM numbered",
          "* FROM \"key ed\"", "rowid, * FROM made", "rowid, * FROM strict", "* FROM muhur_migration",
          "* FROM child", "rowid, * FROM log", "rowid, * FROM words", "* FROM words_data", "* FROM words_idx",
          "* FROM words_content", "* FROM sqlite_sequence", "* FROM sqlite_stat1", "* FROM sight",
          "rowid FROM words WHERE words MATCH 'text7'"})
      add(fmt::format("SELECT {}", rows));
    return lines;
  }
  void expect_the_same() const {
    EXPECT_EQ(dump(&fresh_), before_);
    auto opened = Connection::open({.path = file(), .key = &fresh_, .cipher = "chacha20", .bare = true});
    ASSERT_TRUE(ok(opened));
    const auto report = check(**opened);
    ASSERT_TRUE(ok(report));
    EXPECT_TRUE(report->sound()) << report->summary();
    EXPECT_FALSE(std::filesystem::exists(part()));
    EXPECT_FALSE(std::filesystem::exists(part().string() + "-journal"));
    // Its trigger and its virtual table are alive, and numbers go on after the deleted ones.
    ASSERT_TRUE(
        ok((*opened)->exec("INSERT INTO sight VALUES(1, 'through the view');"
                           "INSERT INTO words VALUES('new', 'unheard'); INSERT INTO numbered(text) "
                           "VALUES('n')")));
    EXPECT_EQ(*(*opened)->query_int("SELECT count(*) FROM log WHERE text = 'through the view'"), 1);
    EXPECT_EQ(*(*opened)->query_int("SELECT count(*) FROM words WHERE words MATCH 'unheard'"), 1);
    EXPECT_EQ(*(*opened)->query_int("SELECT max(id) FROM numbered"), 123);
  }
  // Stops when asked for the nth time.
  Result<CipherMigrated> run_until(int asked) {
    CipherMigration stopped = options_;
    stopped.go_on = [&asked] { return --asked > 0; };
    return migrate_cipher(stopped);
  }
  std::filesystem::path part() const { return file().string() + ".migrating"; }

  const Key fresh_ = Key::random();
  CipherMigration options_;
  std::vector<std::string> before_;
};

TEST_F(MigrateResumeTest, EveryKindOfSchemaComesOutAsItWentIn) {
  for (const char* pragmas : {"PRAGMA page_size=1024", "PRAGMA encoding='UTF-16le'; PRAGMA auto_vacuum=FULL",
                              "PRAGMA encoding='UTF-16be'; PRAGMA page_size=512; PRAGMA journal_mode=WAL",
                              "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA page_size=65536"}) {
    std::filesystem::remove(file());
    make(pragmas);
    const auto done = migrate_cipher(options_);
    ASSERT_TRUE(ok(done)) << pragmas;
    EXPECT_EQ(done->rows_kept, 0u);
    EXPECT_GT(done->rows_copied, 1000u);
    EXPECT_EQ(done->started_over, "");
    expect_the_same();
  }
}

TEST_F(MigrateResumeTest, AStopAtAnyMomentLosesNothingAndTheNextRunCopiesOnlyTheRest) {
  make("PRAGMA journal_mode=WAL");
  const std::filesystem::path saved = file("saved.db");
  std::filesystem::copy_file(file(), saved);
  std::uint64_t all = 0;
  std::uint64_t kept = 0;
  int stops = 0;
  for (int asked = 1;; asked += asked < 8 ? 2 : 19, ++stops) {
    std::filesystem::copy_file(saved, file(), std::filesystem::copy_options::overwrite_existing);
    const auto stopped = run_until(asked);
    if (stopped) {
      EXPECT_EQ(stopped->rows_copied, all);
      break;
    }
    ASSERT_TRUE(fails_with(Code::closed, stopped));
    ASSERT_TRUE(std::filesystem::exists(part()));
    const auto rest = migrate_cipher(options_);
    ASSERT_TRUE(ok(rest)) << asked;
    EXPECT_EQ(rest->started_over, "");
    if (all == 0) all = rest->rows_copied + rest->rows_kept;
    EXPECT_EQ(rest->rows_copied + rest->rows_kept, all);
    EXPECT_GT(rest->rows_kept, 0u);
    EXPECT_GE(rest->rows_kept, kept);
    kept = rest->rows_kept;
    ASSERT_EQ(dump(&fresh_), before_) << asked;
  }
  EXPECT_EQ(kept, all);  // the last stops were in the comparison
  EXPECT_GT(stops, 8);
  expect_the_same();
}

TEST_F(MigrateResumeTest, ARunThatIsStoppedAfterEachBatchArrives) {
  make();
  std::uint64_t size = 0;
  int runs = 0;
  Result<CipherMigrated> done = run_until(3);
  for (; !done && runs < 1000; ++runs) {
    ASSERT_TRUE(fails_with(Code::closed, done));
    EXPECT_GE(std::filesystem::file_size(part()), size);
    size = std::filesystem::file_size(part());
    // The comparison asks once a table and has to come through in one run.
    done = run_until(30);
  }
  ASSERT_TRUE(ok(done));
  EXPECT_GT(runs, 3);
  expect_the_same();
}

TEST_F(MigrateResumeTest, ACopyUnderAnotherKeyIsNotMixedIn) {
  make();
  const Key other = Key::random();
  options_.new_key = &other;
  ASSERT_TRUE(fails_with(Code::closed, run_until(20)));
  options_.new_key = &fresh_;
  const auto done = migrate_cipher(options_);
  ASSERT_TRUE(ok(done));
  EXPECT_EQ(done->rows_kept, 0u);
  EXPECT_THAT(done->started_over, testing::HasSubstr("another key"));
  expect_the_same();
}

TEST_F(MigrateResumeTest, ASourceThatChangedMeanwhileIsCopiedAnew) {
  make();
  ASSERT_TRUE(fails_with(Code::closed, run_until(20)));
  {
    auto opened = Connection::open({.path = file(), .bare = true});
    ASSERT_TRUE(ok(opened));
    ASSERT_TRUE(ok((*opened)->exec("UPDATE plain SET c = 99 WHERE rowid = -7")));
  }
  before_ = dump(nullptr);
  const auto done = migrate_cipher(options_);
  ASSERT_TRUE(ok(done));
  EXPECT_EQ(done->rows_kept, 0u);
  EXPECT_THAT(done->started_over, testing::HasSubstr("changed"));
  expect_the_same();
}

TEST_F(MigrateResumeTest, ADamagedCopyIsMadeAnew) {
  make();
  const std::filesystem::path saved = file("saved.db");
  std::filesystem::copy_file(file(), saved);
  const auto written = std::filesystem::last_write_time(file());
  ASSERT_TRUE(fails_with(Code::closed, run_until(150)));
  const auto size = std::filesystem::file_size(part());
  std::filesystem::copy_file(part(), file("part"));
  for (std::uint64_t at = 50; at < size; at += 16 * 1024) {
    std::filesystem::copy_file(saved, file(), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::last_write_time(file(), written);
    std::filesystem::copy_file(file("part"), part(), std::filesystem::copy_options::overwrite_existing);
    {
      std::fstream damage(part(), std::ios::in | std::ios::out | std::ios::binary);
      damage.seekg(static_cast<std::streamoff>(at));
      const char was = static_cast<char>(damage.get());
      damage.seekp(static_cast<std::streamoff>(at));
      damage.put(static_cast<char>(was ^ 1));
    }
    const auto done = migrate_cipher(options_);
    ASSERT_TRUE(ok(done)) << at;
    EXPECT_NE(done->started_over, "") << at;
    ASSERT_EQ(dump(&fresh_), before_) << at;
  }
  expect_the_same();
}

}  // namespace
}  // namespace muhur::vault

#include "vault/check.hpp"

#include <fstream>

#include "fixture.hpp"
#include "vault/salvage.hpp"

namespace muhur::vault {
namespace {

// A database with a large table, an index, long values, a WITHOUT ROWID table and a full-text index.
class CheckTest : public VaultTest {
 protected:
  static constexpr int kRows = 500;
  CheckTest() {
    const auto db = connect();
    EXPECT_TRUE(
        ok(db->exec("CREATE TABLE big(id INTEGER PRIMARY KEY, text TEXT, n REAL, late DEFAULT 7);"
                    "CREATE INDEX big_text ON big(text);"
                    "CREATE TABLE pairs(v, a TEXT, b INT, PRIMARY KEY(b, a)) WITHOUT ROWID;"
                    "CREATE TABLE norowidname(rowid TEXT, x);"
                    "CREATE VIRTUAL TABLE words USING fts5(body);"
                    "CREATE VIEW v AS SELECT id FROM big;"
                    "CREATE TRIGGER tr AFTER INSERT ON norowidname BEGIN DELETE FROM pairs; END;"
                    "BEGIN")));
    for (int i = 1; i <= kRows; ++i) {
      EXPECT_TRUE(ok(db->run("INSERT INTO big(id, text, n) VALUES(?, ?, ?)", i, text_of(i), 0.5 * i)));
      EXPECT_TRUE(ok(db->run("INSERT INTO words(body) VALUES(?)", "word" + std::to_string(i))));
    }
    EXPECT_TRUE(ok(db->run("INSERT INTO norowidname VALUES('r', x'00ff')")));
    for (int i = 1; i <= 50; ++i)
      EXPECT_TRUE(ok(db->run("INSERT INTO pairs VALUES(?, ?, ?)", 10 * i, std::to_string(i), i)));
    EXPECT_TRUE(ok(db->exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")));
  }
  // Every tenth is long enough for several overflow pages.
  static std::string text_of(int i) {
    return std::to_string(i) + std::string(i % 10 == 0 ? 20'000 : 700, static_cast<char>('a' + i % 26));
  }
  // Pages of a table or index, by SQLite's own reckoning.
  std::vector<std::int64_t> pages_of(std::string_view name, std::string_view type) {
    const auto db = connect(OpenMode::read_write);
    auto st = *db->prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path");
    st.bind(name, type);
    std::vector<std::int64_t> pages;
    while (*st.step()) pages.push_back(st.int64(0));
    return pages;
  }
  void damage(std::int64_t page) {
    std::fstream stream(file(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp((page - 1) * 4096 + 100);
    stream.put('!').put('?');
  }
  CheckReport checked() {
    const auto db = connect(OpenMode::read_write);
    auto report = check(*db);
    EXPECT_TRUE(ok(report));
    return report ? std::move(*report) : CheckReport{};
  }
  SalvageReport salvaged() {
    const auto db = connect(OpenMode::read_write);
    auto report = salvage(*db, file("new.db"), &key());
    EXPECT_TRUE(ok(report));
    if (!report) return {};
    saved_ = *Connection::open({.path = file("new.db"), .key = &key()});
    const auto sound = check(*saved_);
    EXPECT_TRUE(ok(sound));
    EXPECT_TRUE(sound->sound()) << sound->summary();
    return std::move(*report);
  }
  std::int64_t number(std::string_view sql) {
    if (!saved_) return -1;
    const auto value = saved_->query_int(sql);
    EXPECT_TRUE(ok(value));
    return value ? *value : -1;
  }
  static const SalvagedTable* table(const SalvageReport& report, std::string_view name) {
    const auto at = std::ranges::find(report.tables, name, &SalvagedTable::name);
    return at == report.tables.end() ? nullptr : &*at;
  }
  std::unique_ptr<Connection> saved_;
};

TEST_F(CheckTest, ASoundDatabaseIsSound) {
  const CheckReport report = checked();
  EXPECT_TRUE(report.sound()) << report.summary();
  EXPECT_EQ(report.pages * 4096, std::filesystem::file_size(file()));
}

TEST_F(CheckTest, NamesEachDamagedPageAndWhoseItIs) {
  const auto leaf = pages_of("big", "leaf")[3];
  const auto overflow = pages_of("big", "overflow")[5];
  const auto index = pages_of("big_text", "leaf")[1];
  for (const auto page : {leaf, overflow, index}) damage(page);
  const CheckReport report = checked();
  EXPECT_FALSE(report.problems.empty());
  std::map<std::int64_t, std::string> owners;
  for (const DamagedPage& page : report.damaged) owners[page.page] = page.owner;
  EXPECT_EQ(owners,
            (std::map<std::int64_t, std::string>{{leaf, "big"}, {overflow, "big"}, {index, "big_text"}}));
}

TEST_F(CheckTest, ADatabaseInUseIsCheckedBetweenCommits) {
  const auto db = open_database({.open = options(OpenMode::read_write)});
  ASSERT_TRUE(ok(db->write([](Connection& c) { return c.run("INSERT INTO norowidname VALUES('x', 1)"); })));
  const auto report = check(*db);
  ASSERT_TRUE(ok(report));
  EXPECT_TRUE(report->sound()) << report->summary();
}

TEST_F(CheckTest, ABrokenForeignKeyIsAProblem) {
  {
    const auto db = connect(OpenMode::read_write);
    ASSERT_TRUE(
        ok(db->exec("CREATE TABLE child(parent REFERENCES big(id)); PRAGMA foreign_keys=OFF;"
                    "INSERT INTO child VALUES(9999)")));
  }
  EXPECT_EQ(checked().problems.size(), 1U);
}

TEST_F(CheckTest, SalvageOfASoundDatabaseKeepsEverything) {
  const SalvageReport report = salvaged();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(number("SELECT count(*) FROM big"), kRows);
  ASSERT_TRUE(saved_);
  for (int i : {1, 10, 77, kRows}) {
    auto st = *saved_->prepare("SELECT text, n, late FROM big WHERE id = ?");
    ASSERT_EQ(st.bind(i).step(), true);
    EXPECT_EQ(st.text(0), text_of(i));
    EXPECT_EQ(st.real(1), 0.5 * i);
    EXPECT_EQ(st.int64(2), 7);
  }
  EXPECT_EQ(number("SELECT count(*) FROM pairs"), 50);
  EXPECT_EQ(number("SELECT v FROM pairs WHERE b = 20 AND a = '20'"), 200);
  EXPECT_EQ(number("SELECT hex(x) = '00FF' AND rowid = 'r' FROM norowidname"), 1);
  EXPECT_EQ(number("SELECT rowid FROM words WHERE words MATCH 'word321'"), 321);
  EXPECT_EQ(number("SELECT count(*) FROM sqlite_schema WHERE name IN ('big_text', 'v', 'tr')"), 3);
}

TEST_F(CheckTest, ColumnsAddedLaterTakeTheirDefault) {
  {
    const auto db = connect(OpenMode::read_write);
    ASSERT_TRUE(ok(db->exec("ALTER TABLE big ADD COLUMN added TEXT DEFAULT 'fresh'")));
  }
  EXPECT_TRUE(salvaged().complete());
  EXPECT_EQ(number("SELECT count(*) FROM big WHERE added = 'fresh'"), kRows);
}

TEST_F(CheckTest, SalvageLosesTheRowsOfABadLeafAndNoOthers) {
  const auto leaf = pages_of("big", "leaf")[10];
  damage(leaf);
  const SalvageReport report = salvaged();
  EXPECT_THAT(report.damaged_pages, testing::ElementsAre(leaf));
  const auto* big = table(report, "big");
  ASSERT_TRUE(big);
  EXPECT_EQ(big->pages_lost, 1U);
  EXPECT_EQ(static_cast<std::int64_t>(big->rows), number("SELECT count(*) FROM big"));
  EXPECT_GE(number("SELECT count(*) FROM big"), kRows - 8);
  EXPECT_LT(number("SELECT count(*) FROM big"), kRows);
  EXPECT_FALSE(report.complete());
}

TEST_F(CheckTest, SalvageLosesTheRowOfABadOverflowPageAndNoOther) {
  damage(pages_of("big", "overflow")[7]);
  const SalvageReport report = salvaged();
  ASSERT_TRUE(table(report, "big"));
  EXPECT_EQ(table(report, "big")->rows_lost, 1U);
  EXPECT_EQ(number("SELECT count(*) FROM big"), kRows - 1);
}

TEST_F(CheckTest, SalvageFindsTheLeavesUnderABadInteriorPage) {
  const auto interior = pages_of("big", "internal");
  ASSERT_FALSE(interior.empty());
  damage(interior[0]);  // the root
  const SalvageReport report = salvaged();
  EXPECT_GT(report.orphan_pages, 50U);
  EXPECT_EQ(number("SELECT count(*) FROM big"), kRows);
  ASSERT_TRUE(saved_);
  EXPECT_EQ(saved_->query_text("SELECT text FROM big WHERE id = 123"), text_of(123));
}

TEST_F(CheckTest, RowsOfOrphansThatSeveralTablesCouldOwnAreKeptApart) {
  damage(pages_of("big", "internal")[0]);
  damage(pages_of("pairs", "leaf")[0]);
  const SalvageReport report = salvaged();
  EXPECT_EQ(number("SELECT count(DISTINCT rowid_) FROM lost_and_found WHERE field = 1"), kRows);
  EXPECT_EQ(number("SELECT count(*) FROM big"), 0);
  EXPECT_FALSE(report.complete());
}

TEST_F(CheckTest, SalvageNeverReplacesAFile) {
  const auto db = connect(OpenMode::read_write);
  EXPECT_TRUE(fails_with(Code::exists, salvage(*db, file(), &key())));
}

}  // namespace
}  // namespace muhur::vault

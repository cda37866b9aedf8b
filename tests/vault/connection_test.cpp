#include "vault/connection.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "fixture.hpp"

namespace muhur::vault {
namespace {

using ConnectionTest = VaultTest;
using testing::HasSubstr;
using testing::Not;

TEST_F(ConnectionTest, MakesAFileThatOnlyItsOwnerReads) {
  ::umask(0);
  const auto connection = connect();
  ASSERT_TRUE(connection);
  ASSERT_TRUE(ok(connection->exec("CREATE TABLE t(a)")));
  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat status{};
    ASSERT_EQ(::stat((file().string() + suffix).c_str(), &status), 0) << suffix;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << suffix;
  }
}

TEST_F(ConnectionTest, KeepsWhatItWasGivenForTheNextOne) {
  {
    const auto connection = connect();
    ASSERT_TRUE(
        ok(connection->exec("CREATE TABLE t(a); INSERT INTO t VALUES(7); INSERT INTO t VALUES('x')")));
  }
  const auto again = connect(OpenMode::read_write);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->query_int("SELECT a FROM t"), 7);
  EXPECT_EQ(again->query_text("SELECT a FROM t WHERE rowid = 2"), "x");
}

TEST_F(ConnectionTest, DeniesAWrongKeyAndLeavesTheFileAsItWas) {
  ASSERT_TRUE(ok(connect()->exec("CREATE TABLE t(a)")));
  const auto before = std::filesystem::file_size(file());
  const Key other = Key::random();
  for (const OpenMode mode : {OpenMode::read_only, OpenMode::read_write, OpenMode::create}) {
    const auto wrong = Connection::open({.path = file(), .key = &other, .mode = mode});
    ASSERT_TRUE(fails_with(Code::denied, wrong));
    EXPECT_THAT(wrong.error().what, HasSubstr(file().string()));
    EXPECT_THAT(wrong.error().remedy, Not(testing::IsEmpty()));
  }
  const auto without = Connection::open({.path = file(), .mode = OpenMode::read_write});
  EXPECT_TRUE(fails_with(Code::denied, without));
  EXPECT_EQ(std::filesystem::file_size(file()), before);
  EXPECT_TRUE(connect(OpenMode::read_write));
}

TEST_F(ConnectionTest, DeniesAFileThatIsNoDatabase) {
  std::ofstream(file()) << std::string(8192, 'x');
  EXPECT_TRUE(fails_with(Code::denied, Connection::open(options())));
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST_F(ConnectionTest, SaysThatAFileIsNotThereAndDoesNotMakeIt) {
  EXPECT_TRUE(fails_with(Code::not_found, Connection::open(options(OpenMode::read_write))));
  EXPECT_TRUE(fails_with(Code::not_found, Connection::open(options(OpenMode::read_only))));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(ConnectionTest, SaysThatADirectoryIsNotThere) {
  const auto nowhere =
      Connection::open({.path = file("no/such/place.db"), .key = &key(), .mode = OpenMode::create});
  EXPECT_TRUE(fails_with(Code::not_found, nowhere));
}

TEST_F(ConnectionTest, RemovesAFileThatItJustMadeWhenItCannotSetItUp) {
  OpenOptions bad = options();
  bad.profile.page_size = 1000;  // not a power of two: reads back as another
  ASSERT_TRUE(fails_with(Code::internal, Connection::open(bad)));
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(ConnectionTest, TakesPathsWithAnyCharacter) {
  const auto odd = file("odd ?&#%41 name=ü.db");
  const auto connection = Connection::open({.path = odd, .key = &key(), .mode = OpenMode::create});
  ASSERT_TRUE(ok(connection));
  ASSERT_TRUE(ok((*connection)->exec("CREATE TABLE t(a)")));
  EXPECT_TRUE(std::filesystem::exists(odd));
}

TEST_F(ConnectionTest, OpensAFileOfAnOlderToolWhenItsCipherIsNamed) {
  const Key key = Key::passphrase(as_bytes("an old password"));
  for (const char* cipher : {"sqleet", "aes256cbc"}) {
    OpenOptions old{.path = file(cipher), .key = &key, .mode = OpenMode::create};
    old.cipher = cipher;
    {
      const auto db = Connection::open(old);
      ASSERT_TRUE(ok(db));
      ASSERT_TRUE(ok((*db)->exec("CREATE TABLE t(a); INSERT INTO t VALUES(7)")));
    }
    old.mode = OpenMode::read_write;
    const auto db = Connection::open(old);
    ASSERT_TRUE(ok(db));
    EXPECT_EQ((*db)->query_int("SELECT a FROM t"), 7);
    old.cipher.clear();
    // aes256cbc is found out from the passphrase; sqleet has to be named.
    const auto unnamed = Connection::open(old);
    if (std::string_view(cipher) == "sqleet") {
      EXPECT_TRUE(fails_with(Code::denied, unnamed));
    } else {
      ASSERT_TRUE(ok(unnamed));
      EXPECT_EQ((*unnamed)->cipher(), "aes256cbc");
      EXPECT_EQ((*db)->cipher(), "aes256cbc");
    }
    old.cipher = "rot13&keyid=x";
    EXPECT_FALSE(Connection::open(old));
  }
}

TEST_F(ConnectionTest, ReadOnlyRefusesToChangeAnything) {
  ASSERT_TRUE(ok(connect()->exec("CREATE TABLE t(a)")));
  const auto reader = connect(OpenMode::read_only);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->query_int("SELECT count(*) FROM t"), 0);
  EXPECT_FALSE(reader->exec("INSERT INTO t VALUES(1)"));
}

TEST_F(ConnectionTest, QueryOnlyRefusesToChangeAnything) {
  ASSERT_TRUE(ok(connect()->exec("CREATE TABLE t(a)")));
  OpenOptions reading = options(OpenMode::read_write);
  reading.query_only = true;
  const auto reader = Connection::open(reading);
  ASSERT_TRUE(ok(reader));
  EXPECT_FALSE((*reader)->exec("INSERT INTO t VALUES(1)"));
}

TEST_F(ConnectionTest, NamesABrokenConstraintByItsKindAndWithoutTheValue) {
  const auto connection = connect();
  ASSERT_TRUE(
      ok(connection->exec("CREATE TABLE u(id INTEGER PRIMARY KEY);"
                          "CREATE TABLE t(a TEXT UNIQUE, b NOT NULL, c CHECK(c > 0),"
                          " d REFERENCES u(id))")));
  const std::string_view sql = "INSERT INTO t(a, b, c, d) VALUES(?, ?, ?, ?)";
  ASSERT_TRUE(ok(connection->run(sql, "secret value", 1, 1, nullptr)));
  const auto twice = connection->run(sql, "secret value", 1, 1, nullptr);
  ASSERT_TRUE(fails_with(Code::exists, twice));
  EXPECT_THAT(twice.error().text(), Not(HasSubstr("secret value")));
  EXPECT_TRUE(fails_with(Code::invalid, connection->run(sql, "x", nullptr, 1, nullptr)));
  EXPECT_TRUE(fails_with(Code::invalid, connection->run(sql, "x", 1, 0, nullptr)));
  EXPECT_TRUE(fails_with(Code::conflict, connection->run(sql, "x", 1, 1, 99)));
}

TEST_F(ConnectionTest, AMalformedFullTextQueryIsTheCallersFaultAndIsNotRepeated) {
  const auto connection = connect();
  ASSERT_TRUE(ok(connection->exec("CREATE VIRTUAL TABLE f USING fts5(body)")));
  const auto bad = connection->run("SELECT 1 FROM f WHERE f MATCH ?", "private ( words");
  ASSERT_TRUE(fails_with(Code::invalid, bad));
  EXPECT_THAT(bad.error().text(), Not(HasSubstr("private")));
}

TEST_F(ConnectionTest, RefusesTwoStatementsWhereOneIsMeant) {
  const auto connection = connect();
  EXPECT_TRUE(fails_with(Code::internal, connection->prepare("SELECT 1; SELECT 2")));
  EXPECT_TRUE(fails_with(Code::internal, connection->prepare("  ")));
  EXPECT_TRUE(ok(connection->prepare("SELECT 1;  \n")));
}

TEST_F(ConnectionTest, RefusesADoubleQuotedStringThatNamesNoColumn) {
  const auto connection = connect();
  EXPECT_TRUE(fails_with(Code::internal, connection->query_text("SELECT \"text\"")));
}

TEST_F(ConnectionTest, ExecStopsAtTheFirstFailureAndKeepsWhatWentBefore) {
  const auto connection = connect();
  EXPECT_FALSE(connection->exec("CREATE TABLE a(x); -- a comment\n CREATE TABLE a(x); CREATE TABLE b(x)"));
  EXPECT_EQ(connection->query_int("SELECT count(*) FROM sqlite_schema WHERE name IN ('a', 'b')"), 1);
}

TEST_F(ConnectionTest, SaysThatThereIsNoRow) {
  const auto connection = connect();
  EXPECT_TRUE(fails_with(Code::not_found, connection->query_int("SELECT 1 WHERE 0")));
}

TEST_F(ConnectionTest, InterruptEndsARunningStatementSoon) {
  const auto connection = connect();
  std::atomic<bool> done{false};
  std::thread stopper([&] {
    while (true) {
      connection->interrupt();
      std::this_thread::yield();
      if (done.load()) return;
    }
  });
  const auto endless = connection->query_int(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
  done = true;
  stopper.join();
  EXPECT_TRUE(fails_with(Code::closed, endless));
}

TEST_F(ConnectionTest, AFullDatabaseIsNoSpaceAndStaysUsable) {
  const auto connection = connect();
  ASSERT_TRUE(ok(connection->exec("CREATE TABLE t(a); PRAGMA max_page_count=20")));
  ASSERT_TRUE(fails_with(Code::no_space, connection->run("INSERT INTO t VALUES(zeroblob(1000000))")));
  EXPECT_TRUE(ok(connection->run("INSERT INTO t VALUES(1)")));
}

}  // namespace
}  // namespace muhur::vault

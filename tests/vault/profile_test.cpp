#include "vault/profile.hpp"

#include <sys/stat.h>

#include "fixture.hpp"

namespace muhur::vault {
namespace {

using ProfileTest = VaultTest;

std::int64_t read(Connection& db, std::string_view pragma) {
  const auto value = db.query_int("PRAGMA " + std::string(pragma));
  return value ? *value : -1;
}

// The seed set auto_vacuum after journal_mode=WAL had created the file: it silently stayed 0.
TEST_F(ProfileTest, AutoVacuumIsReallySetOnANewFile) {
  for (const AutoVacuum mode : {AutoVacuum::none, AutoVacuum::full, AutoVacuum::incremental}) {
    OpenOptions opening = options();
    opening.path = file(std::to_string(static_cast<int>(mode)));
    opening.profile.auto_vacuum = mode;
    ASSERT_TRUE(ok(Connection::open(opening)));
    opening.bare = true;  // what the file itself says
    const auto again = Connection::open(opening);
    ASSERT_TRUE(ok(again));
    EXPECT_EQ(read(**again, "auto_vacuum"), static_cast<int>(mode));
  }
}

TEST_F(ProfileTest, EveryPragmaReadsBackAsTheProfileSays) {
  OpenOptions opening = options();
  opening.profile = {.durability = Durability::normal,
                     .page_size = 8192,
                     .cache_kib = 777,
                     .busy_timeout_ms = 1234,
                     .wal_autocheckpoint = 321,
                     .wal_limit_bytes = 1 << 20,
                     .temp_store = 2,
                     .analysis_limit = 99};
  const auto db = Connection::open(opening);
  ASSERT_TRUE(ok(db));
  EXPECT_EQ((*db)->query_text("PRAGMA journal_mode"), "wal");
  EXPECT_EQ((*db)->query_text("PRAGMA encoding"), "UTF-8");
  EXPECT_EQ(read(**db, "synchronous"), 1);
  EXPECT_EQ(read(**db, "page_size"), 8192);
  EXPECT_EQ(read(**db, "cache_size"), -777);
  EXPECT_EQ(read(**db, "busy_timeout"), 1234);
  EXPECT_EQ(read(**db, "wal_autocheckpoint"), 321);
  EXPECT_EQ(read(**db, "journal_size_limit"), 1 << 20);
  EXPECT_EQ(read(**db, "temp_store"), 2);
  EXPECT_EQ(read(**db, "analysis_limit"), 99);
  EXPECT_EQ(read(**db, "secure_delete"), 1);
  EXPECT_EQ(read(**db, "foreign_keys"), 1);
  EXPECT_EQ(read(**db, "trusted_schema"), 0);
  EXPECT_EQ(read(**db, "cell_size_check"), 1);
}

TEST_F(ProfileTest, TheDefaultSurvivesPowerLoss) { EXPECT_EQ(read(*connect(), "synchronous"), 2); }

TEST_F(ProfileTest, AnOldFileKeepsItsPageSizeAndAutoVacuum) {
  OpenOptions opening = options();
  opening.profile.page_size = 1024;
  opening.profile.auto_vacuum = AutoVacuum::none;
  ASSERT_TRUE(ok(Connection::open(opening)));
  const auto db = connect(OpenMode::read_write);
  ASSERT_TRUE(db);
  EXPECT_EQ(read(*db, "page_size"), 1024);
  EXPECT_EQ(read(*db, "auto_vacuum"), 0);
}

TEST_F(ProfileTest, NamesThePragmaThatDidNotTake) {
  OpenOptions opening = options();
  opening.profile.page_size = 3000;
  const auto db = Connection::open(opening);
  ASSERT_TRUE(fails_with(Code::internal, db));
  EXPECT_THAT(db.error().what, testing::HasSubstr("page_size"));
  EXPECT_THAT(db.error().what, testing::HasSubstr("3000"));
}

TEST_F(ProfileTest, SchemaTablesCannotBeWritten) {
  const auto db = connect();
  EXPECT_FALSE(
      db->exec("PRAGMA writable_schema=ON; DELETE FROM sqlite_schema WHERE 1; CREATE TABLE t(a);"
               "UPDATE sqlite_schema SET sql = 'x'"));
}

TEST_F(ProfileTest, TheTempDirectoryIsMadeForItsOwnerOnly) {
  const auto directory = file("tmp/deep");
  ASSERT_TRUE(ok(set_temp_directory(directory)));
  struct stat status{};
  ASSERT_EQ(::stat(directory.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  ASSERT_TRUE(ok(set_temp_directory(std::filesystem::temp_directory_path() / "muhur-vault-tests-tmp")));
}

}  // namespace
}  // namespace muhur::vault

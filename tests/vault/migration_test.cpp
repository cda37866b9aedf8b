#include "vault/migration.hpp"

#include "fixture.hpp"

namespace muhur::vault {
namespace {

using MigrationTest = VaultTest;

Result<void> fill(Connection& db) { return db.exec("INSERT INTO a VALUES(41)"); }
Result<void> refuse(Connection& db) {
  MUHUR_CHECK(db.exec("INSERT INTO a VALUES(42)"));
  return fail(Code::invalid, "cannot");
}

constexpr Migration kOne{1, "one", "CREATE TABLE a(x)", fill};
constexpr Migration kTwo{2, "two", "CREATE TABLE b(x); CREATE INDEX bx ON b(x)"};
constexpr Migration kBroken{2, "broken", "CREATE TABLE b(x)", refuse};

TEST_F(MigrationTest, AppliesEachOnceInOrder) {
  const auto db = connect();
  EXPECT_EQ(schema_version(*db), 0);
  const std::array first{kOne};
  const std::array both{kOne, kTwo};
  ASSERT_TRUE(ok(migrate(*db, first)));
  EXPECT_EQ(schema_version(*db), 1);
  ASSERT_TRUE(ok(migrate(*db, both)));
  ASSERT_TRUE(ok(migrate(*db, both)));
  EXPECT_EQ(schema_version(*db), 2);
  EXPECT_EQ(db->query_int("SELECT count(*) FROM a"), 1);
  EXPECT_EQ(db->query_text("SELECT group_concat(name) FROM schema_version"), "one,two");
}

TEST_F(MigrationTest, APartWithATableOfItsOwnCountsApart) {
  const auto db = connect();
  const std::array first{kOne};
  const std::array other{Migration{1, "other", "CREATE TABLE other(x)"}};
  ASSERT_TRUE(ok(migrate(*db, first)));
  ASSERT_TRUE(ok(migrate(*db, other, "other_version")));
  ASSERT_TRUE(ok(migrate(*db, other, "other_version")));
  EXPECT_EQ(schema_version(*db), 1);
  EXPECT_EQ(schema_version(*db, "other_version"), 1);
  EXPECT_EQ(db->query_int("SELECT count(*) FROM other"), 0);
}

TEST_F(MigrationTest, Bug56AFailedOneLeavesTheVersionAndNoTrace) {
  const auto db = connect();
  const std::array migrations{kOne, kBroken};
  const auto failed = migrate(*db, migrations);
  ASSERT_TRUE(fails_with(Code::invalid, failed));
  EXPECT_THAT(failed.error().what, testing::HasSubstr("broken"));
  EXPECT_EQ(schema_version(*db), 1);
  EXPECT_EQ(db->query_int("SELECT count(*) FROM sqlite_schema WHERE name = 'b'"), 0);
  EXPECT_EQ(db->query_int("SELECT count(*) FROM a"), 1);
}

TEST_F(MigrationTest, ADatabaseNewerThanTheProgramIsRefusedUntouched) {
  const std::array both{kOne, kTwo};
  const std::array first{kOne};
  {
    const auto db = connect();
    ASSERT_TRUE(ok(migrate(*db, both)));
    const auto refused = migrate(*db, first);
    ASSERT_TRUE(fails_with(Code::unsupported, refused));
    EXPECT_THAT(refused.error().what, testing::HasSubstr("version 2"));
    EXPECT_EQ(schema_version(*db), 2);
  }
  DatabaseOptions older{.open = options(), .migrations = first};
  EXPECT_TRUE(fails_with(Code::unsupported, Database::open(std::move(older))));
}

TEST_F(MigrationTest, Bug56ADatabaseIsCopiedBeforeItsMigration) {
  const std::array first{kOne};
  const std::array both{kOne, kTwo};
  const auto open = [&](std::span<const Migration> migrations) {
    return Database::open({.open = options(), .migrations = migrations, .copy_before_migrating = true});
  };
  ASSERT_TRUE(open(first));
  ASSERT_TRUE(open(first));
  EXPECT_FALSE(std::filesystem::exists(file("test.db.before-2")));  // nothing was to be done
  ASSERT_TRUE(open(both));
  {
    OpenOptions copy = options(OpenMode::read_only);
    copy.path = file("test.db.before-2");
    const auto kept = Connection::open(copy);
    ASSERT_TRUE(ok(kept));
    EXPECT_EQ(schema_version(**kept), 1);
    EXPECT_EQ((*kept)->query_int("SELECT x FROM a"), 41);
  }
  // Where it cannot be made nothing is migrated.
  const std::array three{kOne, kTwo, Migration{3, "three", "CREATE TABLE c(x)"}};
  std::filesystem::create_symlink("nowhere", file("test.db.before-3"));
  EXPECT_FALSE(open(three));
  EXPECT_EQ(schema_version(*connect()), 2);
}

TEST_F(MigrationTest, AGapInTheNumbersIsABug) {
  const auto db = connect();
  const std::array gap{kTwo};
  EXPECT_TRUE(fails_with(Code::internal, migrate(*db, gap)));
  EXPECT_EQ(schema_version(*db), 0);
}

}  // namespace
}  // namespace muhur::vault

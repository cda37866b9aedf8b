#include "vault/backup.hpp"

#include "fixture.hpp"

namespace muhur::vault {
namespace {

class BackupTest : public VaultTest {
 protected:
  void fill(Database& db, int from, int to) {
    ASSERT_TRUE(ok(db.write([&](Connection& c) -> Result<void> {
      for (int i = from; i < to; ++i) MUHUR_CHECK(insert(c, std::to_string(i) + std::string(2000, 'x')));
      return {};
    })));
  }
  std::int64_t rows_in(const std::filesystem::path& path, const Key* key) {
    const auto copy = Connection::open({.path = path, .key = key});
    EXPECT_TRUE(ok(copy));
    return copy ? count(**copy) : -1;
  }
  Key other_ = Key::random();
};

TEST_F(BackupTest, TheCopyOpensWithItsOwnKeyOnly) {
  const auto db = open_database();
  fill(*db, 0, 200);
  const auto report = backup(*db, {.path = file("copy.db"), .key = &other_});
  ASSERT_TRUE(ok(report));
  EXPECT_GT(report->pages, 100U);
  EXPECT_EQ(report->bytes, std::filesystem::file_size(file("copy.db")));
  EXPECT_EQ(rows_in(file("copy.db"), &other_), 200);
  EXPECT_TRUE(fails_with(Code::denied, Connection::open({.path = file("copy.db"), .key = &key()})));
}

TEST_F(BackupTest, ACopyWithoutAKeyIsAPlainDatabase) {
  const auto db = open_database();
  fill(*db, 0, 10);
  ASSERT_TRUE(ok(backup(*db, {.path = file("copy.db")})));
  EXPECT_EQ(rows_in(file("copy.db"), nullptr), 10);
}

TEST_F(BackupTest, APlainDatabaseIsCopiedEncrypted) {
  {
    const auto plain = Connection::open({.path = file("plain.db"), .mode = OpenMode::create});
    ASSERT_TRUE(ok(plain));
    ASSERT_TRUE(ok((*plain)->exec(kItems[0].sql)));
    ASSERT_TRUE(ok(insert(**plain, "a")));
    ASSERT_TRUE(ok(backup(**plain, {.path = file("copy.db"), .key = &other_})));
  }
  EXPECT_EQ(rows_in(file("copy.db"), &other_), 1);
  EXPECT_TRUE(fails_with(Code::denied, Connection::open({.path = file("copy.db")})));
}

TEST_F(BackupTest, TheCopyIsOfOneMomentThoughOthersWriteMeanwhile) {
  const auto db = open_database();
  fill(*db, 0, 300);
  int steps = 0;
  std::uint64_t last = 0;
  const auto report = backup(*db, {.path = file("copy.db"),
                                   .key = &other_,
                                   .pages_per_step = 20,
                                   .progress = [&](std::uint64_t done, std::uint64_t all) {
                                     EXPECT_GE(done, last);  // never starts over
                                     EXPECT_LE(done, all);
                                     last = done;
                                     fill(*db, 1000 + steps, 1001 + steps);
                                     ++steps;
                                     return true;
                                   }});
  ASSERT_TRUE(ok(report));
  EXPECT_GT(steps, 5);
  EXPECT_EQ(rows_in(file("copy.db"), &other_), 300);
}

TEST_F(BackupTest, LeavesNothingBehindWhenItIsStopped) {
  const auto db = open_database();
  fill(*db, 0, 100);
  const auto stopped =
      backup(*db, {.path = file("copy.db"), .key = &other_, .pages_per_step = 5, .progress = [](auto, auto) {
                     return false;
                   }});
  EXPECT_TRUE(fails_with(Code::closed, stopped));
  for (const auto& entry : std::filesystem::directory_iterator(directory_))
    EXPECT_THAT(entry.path().filename().string(), testing::StartsWith("test.db"));
}

TEST_F(BackupTest, NeverReplacesAFile) {
  const auto db = open_database();
  ASSERT_TRUE(ok(backup(*db, {.path = file("copy.db"), .key = &other_})));
  EXPECT_TRUE(fails_with(Code::exists, backup(*db, {.path = file("copy.db"), .key = &other_})));
}

}  // namespace
}  // namespace muhur::vault

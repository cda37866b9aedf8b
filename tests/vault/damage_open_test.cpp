// What stands where a database should be, and is none.
#include <unistd.h>

#include "vault/damage_fixture.hpp"

namespace muhur::vault::testing {
namespace {

namespace fs = std::filesystem;

class DamageOpenTest : public DamageTest {
 protected:
  // By way of the profile, as every mailbox is opened.
  Result<void> open_and_read() const {
    MUHUR_TRY(const auto db, Connection::open(options(OpenMode::read_write)));
    return db->exec("SELECT count(*) FROM sqlite_schema");
  }
};

TEST_F(DamageOpenTest, AForeignFileIsRefusedAndLeftAsItIs) {
  for (const std::size_t size : {2UL, 16UL, 100UL, 511UL, 512UL, 4096UL, 20'000UL}) {
    const Bytes foreign = random_bytes(size);
    put(foreign);
    ASSERT_TRUE(fails_with(Code::denied, open_and_read())) << size;
    EXPECT_EQ(bytes_of(), foreign);
  }
  const Bytes text = to_bytes("From alice Mon Nov 30 10:00:00 2026\nSubject: hello\n\nno database\n");
  put(text);
  EXPECT_TRUE(fails_with(Code::denied, open_and_read()));
  EXPECT_EQ(bytes_of(), text);
}

TEST_F(DamageOpenTest, APlainDatabaseIsNotOpenedWithAKey) {
  {
    const auto plain = Connection::open({.path = file(), .mode = OpenMode::create, .bare = true});
    ASSERT_TRUE(ok(plain));
    ASSERT_TRUE(ok((*plain)->exec(kContents)));
  }
  const Bytes before = bytes_of();
  EXPECT_TRUE(fails_with(Code::denied, open_and_read()));
  EXPECT_EQ(bytes_of(), before);
}

TEST_F(DamageOpenTest, ADatabaseIsNotOpenedWithAnotherKeyOrNone) {
  {
    const auto db = connect();
    ASSERT_TRUE(ok(db->exec(kContents)));
  }
  const Key other = Key::random();
  EXPECT_TRUE(fails_with(Code::denied, Connection::open({.path = file(), .key = &other})));
  EXPECT_TRUE(fails_with(Code::denied, Connection::open({.path = file()})));
  EXPECT_TRUE(ok(open_and_read()));
}

// Found here: an emptied mailbox would have opened as a new one without mail.
TEST_F(DamageOpenTest, AnEmptyFileIsNotTakenForAnEmptyDatabase) {
  for (const Bytes& empty : {Bytes(), Bytes(1)}) {  // SQLite calls a file of one byte empty
    put(empty);
    EXPECT_TRUE(fails_with(Code::corrupt, open_and_read()));
    EXPECT_EQ(bytes_of(), empty);
  }
}

TEST_F(DamageOpenTest, ADirectoryIsNoDatabase) {
  fs::create_directory(file());
  const auto opened = open_and_read();
  ASSERT_TRUE(fails_with(Code::io, opened));
  EXPECT_THAT(opened.error().what, ::testing::HasSubstr(file().string()));
  const auto created = Connection::open(options());
  EXPECT_TRUE(fails_with(Code::io, created));
  EXPECT_TRUE(fs::is_directory(file()));
}

TEST_F(DamageOpenTest, APathThroughAFileIsNoDatabase) {
  put(to_bytes("in the way"));
  OpenOptions through = options();
  through.path = file() / "test.db";
  EXPECT_TRUE(fails_with(Code::not_found, Connection::open(through)));
}

TEST_F(DamageOpenTest, WithoutPermissionNothingIsOpenedAndNothingChanged) {
  if (::geteuid() == 0) GTEST_SKIP() << "permissions do not bind root";
  {
    const auto db = connect();
    ASSERT_TRUE(ok(db->exec(kContents)));
  }
  fs::permissions(file(), fs::perms::none);
  EXPECT_TRUE(fails_with(Code::io, open_and_read()));
  fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(ok(open_and_read()));
}

}  // namespace
}  // namespace muhur::vault::testing

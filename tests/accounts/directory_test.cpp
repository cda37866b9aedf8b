#include "accounts/directory.hpp"

#include <sys/stat.h>

#include <fstream>

#include "accounts/fixture.hpp"

namespace muhur::accounts {
namespace {

class DirectoryTest : public WithDirectory {};

TEST_F(DirectoryTest, KeepsSettingsAcrossOpenings) {
  ASSERT_TRUE(directory_->set_setting("colour", as_bytes("wax red")));
  ASSERT_TRUE(directory_->set_setting("colour", as_bytes("wax black")));
  reopen();
  const auto value = directory_->setting("colour");
  ASSERT_TRUE(value && *value);
  EXPECT_EQ(to_string(**value), "wax black");
  EXPECT_EQ(directory_->setting("none").value(), std::nullopt);
}

TEST_F(DirectoryTest, DoesNotOpenWithAnotherServerKey) {
  directory_.reset();
  const auto opened = Directory::open(data_, Secret::random(32), false, clock_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::denied);
  EXPECT_FALSE(opened.error().remedy.empty());
  reopen();
}

TEST_F(DirectoryTest, IsNotMadeUnlessAsked) {
  const auto opened = Directory::open(data_ / "elsewhere", server_key_, false, clock_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::not_found);
  EXPECT_FALSE(std::filesystem::exists(data_ / "elsewhere"));
}

TEST_F(DirectoryTest, EachDatabaseHasAKeyOfItsOwn) {
  const Secret salted = database_key(server_key_, "directory").derive(Bytes(16));
  EXPECT_FALSE(salted == database_key(server_key_, "sessions").derive(Bytes(16)));
  EXPECT_FALSE(salted == server_key_);
}

TEST_F(DirectoryTest, AServerKeyIsMadeOnceAndOnlyForItsOwner) {
  const auto file = data_ / "server.key";
  const auto made = create_server_key(file);
  ASSERT_TRUE(made) << made.error().text();
  struct stat info{};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_TRUE(read_server_key(file).value() == *made);
  const auto again = create_server_key(file);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::exists);
  EXPECT_TRUE(read_server_key(file).value() == *made);
}

TEST_F(DirectoryTest, AServerKeyThatOthersCanReadIsRefusedWithTheRemedy) {
  const auto file = data_ / "server.key";
  ASSERT_TRUE(create_server_key(file));
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  const auto read = read_server_key(file);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().remedy, testing::HasSubstr("chmod 600"));
}

TEST_F(DirectoryTest, AServerKeyOfAnotherSizeIsCorrupt) {
  for (const std::size_t size : {0U, 31U, 33U, 5000U}) {
    const auto file = data_ / ("key" + std::to_string(size));
    std::ofstream(file) << std::string(size, 'k');
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    EXPECT_EQ(read_server_key(file).error().code, Code::corrupt) << size;
  }
  EXPECT_EQ(read_server_key(data_ / "absent").error().code, Code::not_found);
}

}  // namespace
}  // namespace muhur::accounts

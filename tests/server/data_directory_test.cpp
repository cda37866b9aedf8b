#include "server/data_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "server/temp_directory.hpp"

namespace muhur::server {
namespace {

using testing::HasSubstr;

unsigned mode_of(const std::filesystem::path& path) {
  struct stat info{};
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 0777;
}

NewDataDirectory wanted(const std::filesystem::path& path) {
  return {.directory = path, .domain = "example.org", .host_name = "mail.example.org", .settings = {}};
}

TEST(DataDirectoryTest, MakesKeysCertificateAndAConfigurationThatLoads) {
  const TempDirectory temp;
  const auto data = temp.path / "data";
  const auto file = create_data_directory(wanted(data));
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(mode_of(data), 0700u);
  EXPECT_EQ(mode_of(data / "server.key"), 0600u);
  EXPECT_EQ(mode_of(data / "tls/key.pem"), 0600u);
  const auto config = load_config(*file, {});
  ASSERT_TRUE(config) << config.error().text();
  EXPECT_EQ(config->data, data);
  EXPECT_EQ(config->host_name, "mail.example.org");
}

TEST(DataDirectoryTest, AnExistingOneIsNeverWrittenOver) {
  const TempDirectory temp;
  const auto data = temp.path / "data";
  ASSERT_TRUE(create_data_directory(wanted(data)));
  const auto key = read_file(data / "server.key");
  const auto again = create_data_directory(wanted(data));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::exists);
  EXPECT_EQ(read_file(data / "server.key"), key);
}

TEST(DataDirectoryTest, AFileInTheWayIsNamedWithARemedy) {
  const TempDirectory temp;
  write_file(temp.path / "mail", "not a directory");
  const auto made = prepare_directories(temp.path);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr((temp.path / "mail").string()));
  EXPECT_FALSE(made.error().remedy.empty());
}

TEST(DataDirectoryTest, AMissingParentIsNamed) {
  const TempDirectory temp;
  const auto made = prepare_directories(temp.path / "a/b");
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().remedy, HasSubstr("parent"));
}

TEST(DataDirectoryTest, ANewFileIsNotWrittenOverAnOldOne) {
  const TempDirectory temp;
  ASSERT_TRUE(write_new_file(temp.path / "f", "one", 0600));
  EXPECT_EQ(mode_of(temp.path / "f"), 0600u);
  const auto again = write_new_file(temp.path / "f", "two", 0600);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::exists);
  EXPECT_EQ(read_file(temp.path / "f"), "one");
}

}  // namespace
}  // namespace muhur::server

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "server/config_keys.hpp"
#include "server/temp_directory.hpp"

namespace muhur::server {
namespace {

TEST(ConfigTextTest, SizesAreReadWithAndWithoutUnit) {
  EXPECT_EQ(*parse_size("0"), 0u);
  EXPECT_EQ(*parse_size("1024"), 1024u);
  EXPECT_EQ(*parse_size("64KiB"), 65'536u);
  EXPECT_EQ(*parse_size("50 MiB"), 50u << 20);
  EXPECT_EQ(*parse_size("2g"), 2ull << 30);
  for (const char* wrong :
       {"", "-1", "1.5GiB", "MiB", "10XB", "99999999999999999999", "9999999999TiB", "1 2"})
    EXPECT_FALSE(parse_size(wrong)) << wrong;
}

TEST(ConfigTextTest, DurationsNeedAUnit) {
  EXPECT_EQ(*parse_duration("250ms"), Millis(250));
  EXPECT_EQ(*parse_duration("60s"), Millis(60'000));
  EXPECT_EQ(*parse_duration("31m"), Millis(1'860'000));
  EXPECT_EQ(*parse_duration("2h"), Millis(7'200'000));
  for (const char* wrong : {"", "60", "-1s", "1.5h", "s", "9223372036854775807d"})
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(ConfigTextTest, SizesAreShownInTheLargestUnitThatFits) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(50u << 20), "50 MiB");
  EXPECT_EQ(format_size(3ull << 40), "3 TiB");
  EXPECT_EQ(format_size(123'456'789), "117.7 MiB");
}

TEST(ConfigTextTest, TheNearestNameNeedsTheFewestEdits) {
  const std::vector<std::string> known{"imap.listen", "imap.listen_tls", "lmtp.listen"};
  EXPECT_EQ(nearest("imap.listne", known), "imap.listen");
  EXPECT_EQ(nearest("imap.listen_tsl", known), "imap.listen_tls");
  EXPECT_EQ(nearest("lntp.listen", known), "lmtp.listen");
  EXPECT_EQ(nearest("completely.different.name", known), "");
}

TEST(ConfigTextTest, KeyAndEnvironmentNamesAreUnique) {
  std::set<std::string> keys, variables;
  for (const Key& key : config_keys()) {
    EXPECT_TRUE(keys.insert(std::string(key.name)).second) << key.name;
    EXPECT_TRUE(variables.insert(environment_name(key.name)).second) << key.name;
    EXPECT_GT(key.doc.size(), 20u) << key.name;
  }
}

TEST(ConfigTextTest, ListsInTheEnvironmentAreSplitAtCommas) {
  const auto value = value_from_text(*find_key("imap.listen"), " a:1 ,, b:2");
  ASSERT_TRUE(value);
  EXPECT_THAT(std::get<std::vector<std::string>>(*value), testing::ElementsAre("a:1", "b:2"));
  EXPECT_TRUE(std::get<std::vector<std::string>>(*value_from_text(*find_key("imap.listen"), "")).empty());
}

TEST(ConfigTextTest, TheDocumentationHoldsTheTableOfKeysAsItIs) {
  const std::string page = read_file(std::filesystem::path(MUHUR_SOURCE_DIR) / "docs/configuration.md");
  EXPECT_NE(page.find(keys_as_markdown()), std::string::npos)
      << "put what `muhur config keys --markdown` prints into docs/configuration.md";
}

}  // namespace
}  // namespace muhur::server

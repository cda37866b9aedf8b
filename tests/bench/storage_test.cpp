// The storage benchmark's workload and reports; no figure of time is looked at.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/random.hpp"
#include "bench/storage.hpp"
#include "bench/storage_page.hpp"

namespace muhur::bench {
namespace {

class StorageBench : public testing::Test {
 protected:
  ~StorageBench() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  boost::json::object once(std::string_view name) {
    const auto figures = run_storage_once(name, directory_);
    EXPECT_TRUE(figures) << figures.error().text();
    return figures ? *figures : boost::json::object{};
  }
  static double megabytes(const boost::json::object& figures, std::string_view key) {
    return figures.at(key).to_number<double>() / (1 << 20);
  }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("muhur-bench-" + random_hex(8));
};

// The seed's published results: 3.98 MB and 4.04 MB in its production configuration, 4.12 and 7.41 after
// VACUUM.
TEST_F(StorageBench, TheSeedsWorkloadLeavesFilesOfTheSizesThatTheSeedPublished) {
  for (const std::string_view name : {"production", "plain"}) {
    const auto figures = once(name);
    EXPECT_NEAR(megabytes(figures, "db_bytes"), 3.98, 0.01) << name;
    EXPECT_NEAR(megabytes(figures, "wal_bytes"), 4.04, 0.01) << name;
    EXPECT_FALSE(figures.contains("vacuum_ms"));
  }
  const auto figures = once("auto-vacuum-none");
  EXPECT_NEAR(megabytes(figures, "db_bytes"), 4.12, 0.05);
  EXPECT_NEAR(megabytes(figures, "wal_bytes"), 7.41, 0.5);
  EXPECT_TRUE(figures.contains("vacuum_ms"));
}

TEST_F(StorageBench, EveryConfigurationOfTheSeedsWorkloadRuns) {
  for (const auto configs : {seed_configs(), extended_configs()}) {
    for (const StorageConfig& config : configs) {
      if (config.workload == Workload::large) continue;
      const auto figures = once(config.name);
      for (const char* key : {"setup_ms", "insert_per_s", "select_per_s", "update_per_s", "delete_per_s"})
        EXPECT_GT(figures.at(key).to_number<double>(), 0) << config.name << " " << key;
      EXPECT_EQ(figures.contains("real_delete_ms"), config.more);
    }
  }
}

// Each kind is believed only if the file says so.
TEST_F(StorageBench, AFileIsPlainOnlyWhereTheConfigurationSaysSo) {
  for (const auto& [name, plain] :
       {std::pair{"production", false}, {"aes256cbc", false}, {"base-plain", true}}) {
    once(name);
    std::string magic(15, ' ');
    std::ifstream(directory_ / "bench.db", std::ios::binary).read(magic.data(), 15);
    EXPECT_EQ(magic == "SQLite format 3", plain) << name;
  }
}

TEST_F(StorageBench, AConfigurationThatDoesNotExistIsNotFound) {
  const auto figures = run_storage_once("nonesuch", directory_);
  ASSERT_FALSE(figures);
  EXPECT_EQ(figures.error().code, Code::not_found);
}

TEST(StorageConfigs, TheSeedsTenComeInItsOrderAndNoNameComesTwice) {
  ASSERT_EQ(seed_configs().size(), 10u);
  EXPECT_EQ(seed_configs().front().label, "Forward Email Production");
  EXPECT_EQ(seed_configs().back().cipher, Cipher::none);
  std::set<std::string_view> names;
  for (const auto configs : {seed_configs(), extended_configs()})
    for (const StorageConfig& config : configs) {
      EXPECT_TRUE(names.insert(config.name).second) << config.name;
      EXPECT_EQ(find_config(config.name), &config);
    }
}

StorageResults three_rounds() {
  StorageResults results("/somewhere/<b>", 3);
  for (const double rate : {300.0, 100.0, 40'000.0})
    results.add(seed_configs()[0], {{"insert_per_s", rate}, {"setup_ms", 5}});
  results.add(*find_config("large"), {{"checkpoint_cpu_ms", 70.5}});
  results.set_cipher({{"page_encrypt", "Page encrypted", "us", {1.5, 1.25, 2, 3}}});
  return results;
}

TEST(StorageResults, TellTheMedianOfTheRoundsInJsonAndTables) {
  const StorageResults results = three_rounds();
  const auto json = results.json();
  const auto& figures = json.at("seed").as_array().at(0).at("figures").as_object();
  EXPECT_EQ(figures.at("insert_per_s").at("median").as_double(), 300);
  EXPECT_EQ(figures.at("insert_per_s").at("low").as_double(), 100);
  EXPECT_EQ(figures.at("insert_per_s").at("high").as_double(), 40'000);
  EXPECT_EQ(json.at("large").as_array().size(), 1u);
  EXPECT_EQ(json.at("cipher").at("page_encrypt_us").at("median").as_double(), 1.5);
  std::ostringstream out;
  results.print(out);
  EXPECT_NE(out.str().find("Forward Email Production"), std::string::npos);
  EXPECT_NE(out.str().find("300.0"), std::string::npos);
  EXPECT_NE(out.str().find("70.5"), std::string::npos);
}

TEST(StoragePage, NeedsNothingFromElsewhereAndEscapesWhatItShows) {
  const std::string page = storage_page(three_rounds());
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("/somewhere/&lt;b&gt;"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("Forward Email Production: 300.0 (100.0 to 40,000)"), std::string::npos);
}

TEST(StorageFigures, AreShownWithThousandsApart) {
  EXPECT_EQ(shown(0), "0");
  EXPECT_EQ(shown(1.234), "1.23");
  EXPECT_EQ(shown(999.94), "999.9");
  EXPECT_EQ(shown(41427), "41,427");
  EXPECT_EQ(shown(1234567), "1,234,567");
}

}  // namespace
}  // namespace muhur::bench

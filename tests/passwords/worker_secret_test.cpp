#include "passwords/worker_secret.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/random.hpp"

namespace muhur::passwords {
namespace {

class WorkerSecret : public testing::Test {
 protected:
  WorkerSecret() { std::filesystem::create_directory(directory_); }
  ~WorkerSecret() override { std::filesystem::remove_all(directory_); }
  std::filesystem::path file_with(std::string_view text, std::filesystem::perms perms) {
    const auto file = directory_ / "secret";
    std::ofstream(file, std::ios::trunc) << text;
    std::filesystem::permissions(file, perms);
    return file;
  }
  std::filesystem::path directory_ = std::filesystem::temp_directory_path() / ("muhur-" + random_hex(8));
  static constexpr auto kPrivate = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
};

TEST_F(WorkerSecret, IsTheFilesTextWithoutTheLineEnd) {
  const std::string text(64, 'k');
  const auto secret = read_worker_secret(file_with(text + "\r\n", kPrivate));
  ASSERT_TRUE(secret) << secret.error().text();
  EXPECT_EQ(secret->text(), text);
}

TEST_F(WorkerSecret, ShortLongAbsentOrPublicOnesAreRefused) {
  EXPECT_EQ(read_worker_secret(file_with(std::string(31, 'k') + "\n\n", kPrivate)).error().code,
            Code::invalid);
  EXPECT_EQ(read_worker_secret(file_with("", kPrivate)).error().code, Code::invalid);
  EXPECT_EQ(read_worker_secret(file_with(std::string(2'000, 'k'), kPrivate)).error().code, Code::limit);
  EXPECT_EQ(read_worker_secret(directory_ / "absent").error().code, Code::not_found);
  const auto everyone = file_with(std::string(64, 'k'), kPrivate | std::filesystem::perms::others_read);
  const auto refused = read_worker_secret(everyone);
  EXPECT_EQ(refused.error().code, Code::denied);
  EXPECT_EQ(refused.error().text().find("kkkk"), std::string::npos);
}

}  // namespace
}  // namespace muhur::passwords

#pragma once
// An encrypted directory.db in a directory of its own, with a clock that the test moves, and a user.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "accounts/credentials.hpp"
#include "accounts/directory.hpp"
#include "accounts/users.hpp"
#include "base/log.hpp"
#include "base/random.hpp"

namespace muhur::accounts {

inline constexpr crypto::Argon2Cost kQuick{64, 1};  // tests need many hashes, not slow ones

class WithDirectory : public testing::Test {
 protected:
  void SetUp() override {
    log::set_level(log::Level::off);  // refusals are what these tests are about
    data_ = std::filesystem::temp_directory_path() / ("muhur-accounts-" + random_hex(8));
    std::filesystem::create_directories(data_);
    reopen();
  }
  void TearDown() override {
    directory_.reset();
    std::filesystem::remove_all(data_);
  }

  void reopen() {
    directory_.reset();
    auto opened = Directory::open(data_, server_key_, true, clock_);
    ASSERT_TRUE(opened) << opened.error().text();
    directory_ = std::move(*opened);
  }

  // A user of example.org with its own DEK.
  Created add_user(std::string_view local, std::string_view password, const Secret& dek,
                   crypto::Argon2Cost cost = kQuick) {
    (void)Users(*directory_).add_domain("example.org");
    NewUser user;
    user.address = std::string(local) + "@example.org";
    user.display_name = "Test";
    user.mailbox_id = random_hex(16);
    user.sealing_public = random_bytes(32);
    auto created = Credentials(*directory_, cost).create_user(user, Secret::from_text(password), dek);
    EXPECT_TRUE(created) << created.error().text();
    return created ? std::move(*created) : Created{};
  }

  // Waits for what was queued for the writer.
  void settle() {
    ASSERT_TRUE(directory_->database().write([](vault::Connection&) -> Result<void> { return {}; }));
  }

  std::filesystem::path data_;
  Secret server_key_ = Secret::random(32);
  ManualClock clock_;
  std::shared_ptr<Directory> directory_;
};

}  // namespace muhur::accounts

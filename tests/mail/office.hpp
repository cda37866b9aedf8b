#pragma once
// A post office on a data directory of its own, with the domain example.org; for tests.

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>

#include "base/random.hpp"
#include "mail/post_office.hpp"

namespace muhur::mail {

class TestData {
 public:
  TestData() : path_(std::filesystem::temp_directory_path() / ("muhur-mail-" + random_hex(8))) {
    std::filesystem::create_directory(path_);
    const Secret key = accounts::create_server_key(path_ / "server.key").value();
    const auto directory = accounts::Directory::open(path_, key, true).value();
    EXPECT_TRUE(accounts::Users(*directory).add_domain("example.org"));
  }
  ~TestData() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestData(const TestData&) = delete;
  TestData& operator=(const TestData&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline PostOfficeOptions test_options(const std::filesystem::path& data) {
  PostOfficeOptions options;
  options.data = data;
  options.argon2 = {.memory_kib = 64, .passes = 1};  // what is tested here is not the hash
  return options;
}

inline std::unique_ptr<PostOffice> open_office(const std::filesystem::path& data) {
  auto office = PostOffice::open(test_options(data));
  EXPECT_TRUE(office) << office.error().text();
  return office ? std::move(*office) : nullptr;
}

class OfficeTest : public testing::Test {
 protected:
  OfficeTest() : office_(open_office(data_.path())) {}

  accounts::User add(std::string_view name, std::int64_t quota = 0, bool admin = false) {
    auto created = office_->add_user(std::string(name) + "@example.org", password(), "", admin, quota);
    EXPECT_TRUE(created) << created.error().text();
    return created->user;
  }
  static Secret password() { return Secret::from_text("correct horse battery"); }
  Result<Session> sign_in(std::string_view name) {
    const Secret secret = password();
    return office_->sign_in_blocking(std::string(name) + "@example.org", secret.view(), "192.0.2.1");
  }
  Recipient recipient(const std::string& address) {
    return office_->accept_recipient_blocking(address, 0).value();
  }
  Result<Receipt> deliver(const std::string& to, std::string_view message,
                          std::string_view sender = "s@example.net") {
    const Recipient one = recipient(to);
    return office_->deliver_blocking(sender, {&one, 1}, message)[0];
  }
  static std::vector<std::string> messages(mailbox::Mailbox& mailbox) {
    std::vector<std::string> found;
    const auto inbox = mailbox.folder("INBOX").value();
    for (const auto& row : mailbox.list(inbox.id).value().changed) {
      auto content = mailbox.content(row.email).value();
      found.push_back(content.read(0, content.size()).value());
    }
    return found;
  }
  // Lets the background finish what it has for the user.
  void until_drained(accounts::UserId user) {
    for (int i = 0; i < 20'000 && office_->spool().has_mail(user).value(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_FALSE(office_->spool().has_mail(user).value());
  }

  TestData data_;
  boost::asio::io_context io_;  // outlives the pools of the office (net/pools.hpp)
  std::unique_ptr<PostOffice> office_;
};

inline std::string letter(std::string_view text) {
  return "From: s@example.net\r\nSubject: test\r\n\r\n" + std::string(text) + "\r\n";
}

}  // namespace muhur::mail

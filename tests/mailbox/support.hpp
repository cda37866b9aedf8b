#pragma once
// What the tests of mailboxes share: an encrypted mailbox in a directory of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/random.hpp"
#include "mailbox/mailbox.hpp"

namespace muhur::mailbox::test {

class TempDir {
 public:
  TempDir() : path_(std::filesystem::temp_directory_path() / ("muhur-mailbox-" + random_hex(8))) {
    std::filesystem::create_directories(path_);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The value, or the test fails and says why.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}
inline void must(Result<void> result) {
  if (!result) throw std::runtime_error(result.error().text());
}

template <class T>
Code code_of(const Result<T>& result) {
  if (result) throw std::runtime_error("it did not fail");
  return result.error().code;
}

class MailboxTest : public testing::Test {
 protected:
  MailboxTest() : key_(vault::Key::random()) { reopen(); }

  void reopen() {
    box_.reset();
    box_ = must(Mailbox::open(options()));
  }
  MailboxOptions options() const {
    MailboxOptions options;
    options.path = file();
    options.key = &key_;
    options.create = true;
    options.clock = &clock_;
    return options;
  }
  std::filesystem::path file() const { return dir_.path() / "box.db"; }

  FolderId id(std::string_view path) { return must(box_->folder(path)).id; }
  Uid put(std::string_view message, std::string_view folder = "INBOX", Flags flags = {}) {
    return must(box_->append({.folder = id(folder), .message = message, .flags = std::move(flags)})).uid;
  }
  MessageRow row(Uid uid, std::string_view folder = "INBOX") {
    return must(box_->rows(id(folder), {{uid, uid}})).at(0);
  }
  std::string bytes(Uid uid, std::string_view folder = "INBOX") {
    return must(must(box_->content(row(uid, folder).email)).all());
  }
  std::int64_t count(std::string_view table_count_sql) {
    return must(box_->database().read([&](vault::Connection& c) { return c.query_int(table_count_sql); }));
  }
  std::vector<Uid> uids(std::string_view folder = "INBOX") {
    std::vector<Uid> found;
    for (const MessageRow& each : must(box_->list(id(folder))).changed) found.push_back(each.uid);
    return found;
  }

  TempDir dir_;
  vault::Key key_;
  ManualClock clock_;
  std::shared_ptr<Mailbox> box_;
};

inline const UidSet kAll{{1, UINT32_MAX}};

inline std::vector<Uid> each_of(const UidSet& set) {
  std::vector<Uid> uids;
  for (const auto& [first, last] : set)
    for (Uid uid = first; uid <= last; ++uid) uids.push_back(uid);
  return uids;
}

inline std::string simple(std::string_view subject, std::string_view body = "Hello.") {
  return fmt::format("From: Ann <ann@example.com>\r\nTo: bob@example.org\r\nSubject: {}\r\n\r\n{}\r\n",
                     subject, body);
}

// Text that does not compress to nothing, the same for the same seed.
inline std::string noise(std::size_t size, std::uint64_t seed) {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    out.push_back(i % 78 == 76 ? '\r' : i % 78 == 77 ? '\n' : kLetters[seed >> 58]);
  }
  return out;
}

inline std::string with_attachment(std::string_view subject, std::string_view attachment) {
  return fmt::format(
      "From: Ann <ann@example.com>\r\nTo: bob@example.org\r\nSubject: {}\r\nMIME-Version: 1.0\r\n"
      "Content-Type: multipart/mixed; boundary=\"b-{}\"\r\n\r\n--b-{}\r\n\r\nSee below.\r\n"
      "--b-{}\r\nContent-Type: application/octet-stream; name=\"plan.bin\"\r\n"
      "Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"plan.bin\"\r\n\r\n"
      "{}\r\n--b-{}--\r\n",
      subject, subject, subject, subject, attachment, subject);
}

}  // namespace muhur::mailbox::test

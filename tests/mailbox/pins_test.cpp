// Content that is read while its message is expunged.
#include "mailbox/pins.hpp"

#include <latch>
#include <thread>

#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

TEST(Pins, WhatIsReadIsNotTakenAndTheLastReaderIsTold) {
  const auto pins = std::make_shared<Pins>();
  pins->hold(1);
  pins->hold(1);
  {
    Pins::Removal removal(pins);
    EXPECT_FALSE(removal.take(1, 10));
    EXPECT_TRUE(removal.take(2, 10));
  }
  EXPECT_FALSE(pins->release(1)) << "another one still reads it";
  EXPECT_TRUE(pins->release(1));
  pins->hold(1);
  EXPECT_FALSE(pins->release(1)) << "nobody wanted it to go since";
}

TEST(Pins, OneChangeRemovesOnlySoMuch) {
  const auto pins = std::make_shared<Pins>();
  {
    Pins::Removal many(pins);
    for (std::size_t i = 0; i < kRemovedAtOnce; ++i) EXPECT_TRUE(many.take(static_cast<EmailId>(i), 10));
    EXPECT_FALSE(many.left_some());
    EXPECT_FALSE(many.take(1'000, 10));
    EXPECT_TRUE(many.left_some());
  }
  {
    Pins::Removal large(pins);
    EXPECT_TRUE(large.take(1, kRemovedBytesAtOnce * 10)) << "one goes whatever its size";
    EXPECT_FALSE(large.take(2, 1));
    EXPECT_TRUE(large.left_some());
  }
  Pins::Removal some(pins);
  EXPECT_TRUE(some.take(1, kRemovedBytesAtOnce / 2));
  EXPECT_TRUE(some.take(2, kRemovedBytesAtOnce / 2));
  EXPECT_FALSE(some.take(3, 1));
}

TEST(Pins, AReaderWaitsForARemovalThatIsUnderWay) {
  const auto pins = std::make_shared<Pins>();
  auto removal = std::make_unique<Pins::Removal>(pins);
  EXPECT_TRUE(removal->take(1, 10));
  std::atomic<bool> ended = false, too_early = false;
  std::latch begins(1);
  std::thread reader([&] {
    begins.count_down();
    pins->hold(1);
    too_early = !ended;
    pins->release(1);
  });
  begins.wait();
  for (int i = 0; i < 100; ++i) std::this_thread::yield();
  ended = true;
  removal.reset();
  reader.join();
  EXPECT_FALSE(too_early);
}

class ReadWhileExpunged : public MailboxTest {
 protected:
  // Waits for what was handed to the writer before.
  void settle() {
    must(box_->database().write([](vault::Connection&) -> Result<void> { return {}; }));
  }
  void put_many(int count, std::string_view folder) {
    const std::string message = simple("x");
    must(box_->append_all(std::vector<AppendRequest>(
        static_cast<std::size_t>(count),
        AppendRequest{.folder = id(folder), .message = message, .flags = {kDeleted, {}}})));
  }
  void until_nothing_leaves() {
    for (int i = 0; i < 10'000 && count("SELECT count(*) FROM leaving") > 0; ++i) settle();
  }
  EmailId put_marked(std::string_view message) {
    return row(put(message, "INBOX", {.system = kDeleted})).email;
  }
  void expect_nothing_left() {
    settle();
    for (const char* table : {"emails", "email_chunks", "texts", "attachments", "attachment_chunks",
                              "email_refs", "attachment_refs", "leaving"})
      EXPECT_EQ(count(fmt::format("SELECT count(*) FROM {}", table)), 0) << table;
  }
  static std::string rest_of(Content& content, std::string read) {
    while (read.size() < content.size()) read += must(content.read(read.size(), 65'536));
    return read;
  }
};

TEST_F(ReadWhileExpunged, AllBytesComeAndThenTheRoomIsGivenBack) {
  // Bug: the rest of a message that was expunged while it was sent could not be read.
  const std::string message = with_attachment("large", noise(700'000, 1)) + noise(300'000, 2);
  const EmailId email = put_marked(message);
  {
    Content content = must(box_->content(email));
    std::string read = must(content.read(0, 100'000));
    EXPECT_EQ(must(box_->expunge(id("INBOX"))).size(), 1u);
    EXPECT_EQ(must(box_->bytes_used()), 0u);
    EXPECT_EQ(count("SELECT count(*) FROM leaving"), 1);
    EXPECT_EQ(rest_of(content, std::move(read)), message);
  }
  expect_nothing_left();
  EXPECT_EQ(code_of(box_->content(email)), Code::not_found);
}

TEST_F(ReadWhileExpunged, TheLastOfSeveralReadersGivesItBack) {
  const EmailId email = put_marked(simple("large", noise(200'000, 3)));
  auto first = std::make_optional(must(box_->content(email)));
  auto second = std::make_optional(must(box_->content(email)));
  must(box_->expunge(id("INBOX")));
  first.reset();
  settle();
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 1);
  EXPECT_EQ(must(second->all()), simple("large", noise(200'000, 3)));
  second.reset();
  expect_nothing_left();
}

TEST_F(ReadWhileExpunged, AFolderMayGoAsAWhole) {
  must(box_->create_folder("A"));
  put(simple("large", noise(200'000, 4)), "A");
  put(simple("other", noise(200'000, 5)), "A");
  {
    Content content = must(box_->content(row(1, "A").email));
    must(box_->delete_folder("A"));
    EXPECT_EQ(count("SELECT count(*) FROM emails"), 1) << "the one that is read";
    EXPECT_EQ(must(content.all()), simple("large", noise(200'000, 4)));
  }
  expect_nothing_left();
}

TEST_F(ReadWhileExpunged, WhatAnotherFolderShowsStays) {
  const EmailId email = put_marked(simple("large", noise(200'000, 6)));
  must(box_->copy(id("INBOX"), kAll, id("Archive")));
  {
    Content content = must(box_->content(email));
    must(box_->expunge(id("INBOX")));
    EXPECT_EQ(count("SELECT count(*) FROM leaving"), 0);
  }
  settle();
  EXPECT_EQ(bytes(1, "Archive"), simple("large", noise(200'000, 6)));
}

TEST_F(ReadWhileExpunged, ASmallMessageIsInMemoryAndHoldsNothing) {
  const EmailId email = put_marked(simple("small"));
  Content content = must(box_->content(email));
  must(box_->expunge(id("INBOX")));
  EXPECT_EQ(count("SELECT count(*) FROM leaving"), 0);
  EXPECT_EQ(must(content.all()), simple("small"));
  expect_nothing_left();
}

TEST_F(ReadWhileExpunged, WhatACrashLeftGoesWhenTheMailboxIsOpenedAgain) {
  const EmailId email = put_marked(simple("large", noise(200'000, 7)));
  {
    const Content content = must(box_->content(email));
    must(box_->expunge(id("INBOX")));
    box_.reset();  // as at the end of the process: nobody removes it any more
  }
  reopen();
  expect_nothing_left();
  EXPECT_EQ(must(box_->folder("INBOX")).messages, 0u);
}

TEST_F(ReadWhileExpunged, ALargeFolderIsEmptiedAtOnceAndItsBytesGoStepByStep) {
  // Bug: one transaction removed all content of a folder, and wrote all of its pages to the log.
  constexpr int kMany = 3 * static_cast<int>(kRemovedAtOnce) + 5;
  put_many(kMany, "INBOX");
  EXPECT_EQ(must(box_->expunge(id("INBOX"))).size(), static_cast<std::size_t>(kMany));
  EXPECT_TRUE(uids().empty());
  until_nothing_leaves();
  expect_nothing_left();

  must(box_->create_folder("A"));
  put_many(kMany, "A");
  must(box_->delete_folder("A"));
  until_nothing_leaves();
  expect_nothing_left();
}

TEST_F(ReadWhileExpunged, AMailboxClosedInTheMiddleGoesOnWhenItIsOpenedAgain) {
  put_many(1'000, "INBOX");
  must(box_->expunge(id("INBOX")));
  reopen();
  until_nothing_leaves();
  expect_nothing_left();
}

TEST_F(ReadWhileExpunged, WhatIsReadIsPassedOverAndKeepsNothingElse) {
  const EmailId email = put_marked(simple("large", noise(200'000, 7)));
  put_many(600, "INBOX");
  auto content = std::make_optional(must(box_->content(email)));
  must(box_->expunge(id("INBOX")));
  for (int i = 0; i < 10'000 && count("SELECT count(*) FROM leaving") > 1; ++i) settle();
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 1);
  EXPECT_EQ(must(content->all()), simple("large", noise(200'000, 7)));
  content.reset();
  until_nothing_leaves();
  expect_nothing_left();
}

TEST_F(ReadWhileExpunged, AReaderThatOutlivesTheMailboxSaysSo) {
  Content content = must(box_->content(put_marked(simple("large", noise(200'000, 8)))));
  must(box_->expunge(id("INBOX")));
  box_.reset();
  EXPECT_EQ(code_of(content.read(100'000, 10)), Code::closed);
}

TEST_F(ReadWhileExpunged, ReadersAndExpungesAtTheSameTimeSeeAllOrNothing) {
  std::vector<EmailId> emails;
  for (std::uint64_t i = 0; i < 40; ++i) emails.push_back(put_marked(simple("m", noise(100'000, i))));
  std::atomic<int> whole = 0, gone = 0;
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader)
    readers.emplace_back([&] {
      for (std::size_t i = 0; i < emails.size(); ++i) {
        auto content = box_->content(emails[i]);
        if (!content) {
          EXPECT_EQ(content.error().code, Code::not_found);
          ++gone;
          continue;
        }
        EXPECT_EQ(rest_of(*content, ""), simple("m", noise(100'000, i)));
        ++whole;
      }
    });
  for (Uid uid = 1; uid <= 40; ++uid) must(box_->expunge(id("INBOX"), UidSet{{uid, uid}}));
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(whole + gone, 120);
  expect_nothing_left();
}

}  // namespace
}  // namespace muhur::mailbox::test

#include "mailbox/support.hpp"

namespace muhur::mailbox::test {
namespace {

class AttachmentsTest : public MailboxTest {
 protected:
  std::int64_t attachments() { return count("SELECT count(*) FROM attachments"); }
  std::int64_t chunks() { return count("SELECT count(*) FROM attachment_chunks"); }
  std::int64_t pages() { return count("PRAGMA page_count") - count("PRAGMA freelist_count"); }
};

TEST_F(AttachmentsTest, EqualAttachmentsOfManyMessagesAreStoredOnce) {
  const std::string file = noise(1'000'000, 1);
  put(with_attachment("first", file));
  const std::int64_t pages_of_one = pages();
  for (int i = 0; i < 9; ++i) put(with_attachment(fmt::format("again-{}", i), file));
  EXPECT_EQ(attachments(), 1);
  EXPECT_EQ(chunks(), 16);
  EXPECT_LT(pages() - pages_of_one, 40) << "nine more messages took the room of their attachments";
  for (const Uid uid : uids())
    EXPECT_EQ(bytes(uid), with_attachment(uid == 1 ? "first" : fmt::format("again-{}", uid - 2), file));
}

TEST_F(AttachmentsTest, DifferentAttachmentsAreKeptApart) {
  put(with_attachment("a", noise(100'000, 1)));
  put(with_attachment("b", noise(100'000, 2)));
  EXPECT_EQ(attachments(), 2);
  EXPECT_EQ(bytes(1), with_attachment("a", noise(100'000, 1)));
  EXPECT_EQ(bytes(2), with_attachment("b", noise(100'000, 2)));
}

TEST_F(AttachmentsTest, SmallPartsAreNotShared) {
  put(with_attachment("a", noise(10'000, 1)));
  EXPECT_EQ(attachments(), 0);
}

TEST_F(AttachmentsTest, TheLastHolderTakesTheBytesAlong) {
  const std::string file = noise(500'000, 1);
  for (int i = 0; i < 3; ++i) put(with_attachment(fmt::format("m{}", i), file));
  const FolderId inbox = id("INBOX");
  for (Uid uid = 1; uid <= 2; ++uid) {
    must(box_->store(inbox, {{uid, uid}}, FlagChange::add, {.system = kDeleted}));
    must(box_->expunge(inbox));
    EXPECT_EQ(attachments(), 1);
  }
  EXPECT_EQ(bytes(3), with_attachment("m2", file));
  must(box_->store(inbox, kAll, FlagChange::add, {.system = kDeleted}));
  must(box_->expunge(inbox));
  for (const char* table : {"attachments", "attachment_refs", "attachment_chunks", "emails", "email_refs",
                            "email_chunks", "texts", "messages"})
    EXPECT_EQ(count(fmt::format("SELECT count(*) FROM {}", table)), 0) << table;
}

TEST_F(AttachmentsTest, OneMessageWithTheSameAttachmentTwiceHoldsItTwice) {
  const std::string file = noise(64'000, 1);
  const std::string message =
      "Subject: twice\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
      "Content-Type: image/png\r\n\r\n" +
      file + "\r\n--b\r\nContent-Type: image/png\r\n\r\n" + file + "\r\n--b--\r\n";
  put(message, "INBOX", {.system = kDeleted});
  EXPECT_EQ(attachments(), 1);
  EXPECT_EQ(bytes(1), message);
  must(box_->expunge(id("INBOX")));
  EXPECT_EQ(attachments(), 0);
  EXPECT_EQ(chunks(), 0);
}

TEST_F(AttachmentsTest, ACopyKeepsContentThatTheOriginalHasLeft) {
  const std::string message = with_attachment("copied", noise(200'000, 1));
  put(message);
  const auto copied = must(box_->copy(id("INBOX"), kAll, id("Archive")));
  ASSERT_EQ(copied.uids.size(), 1u);
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 1);
  must(box_->store(id("INBOX"), kAll, FlagChange::add, {.system = kDeleted}));
  must(box_->expunge(id("INBOX")));
  EXPECT_EQ(bytes(copied.uids[0].second, "Archive"), message);
  must(box_->delete_folder("Archive"));
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 0);
  EXPECT_EQ(attachments(), 0);
}

TEST_F(AttachmentsTest, TwoMailboxesHashTheSameBytesToDifferentValues) {
  put(with_attachment("a", noise(100'000, 1)));
  const auto hash = [](Mailbox& box) {
    return must(box.database().read(
        [](vault::Connection& c) { return c.query_text("SELECT hex(hash) FROM attachments"); }));
  };
  const std::string ours = hash(*box_);
  auto other_options = options();
  other_options.path = dir_.path() / "other.db";
  const auto other = must(Mailbox::open(other_options));
  const std::string message = with_attachment("a", noise(100'000, 1));
  must(other->append({.folder = must(other->folder("INBOX")).id, .message = message}));
  EXPECT_NE(hash(*other), ours);
}

}  // namespace
}  // namespace muhur::mailbox::test

// STORE, COPY, MOVE, EXPUNGE, CLOSE and pipelines of them.
#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Messages : public ::testing::Test {
 protected:
  Messages() {
    for (const char* subject : {"one", "two", "three", "four"}) client.append("INBOX", message(subject));
    client.run("SELECT INBOX");
  }
  House house;
  Client client = house.signed_in();
};

TEST_F(Messages, StoreSaysWhatTheFlagsAre) {
  EXPECT_EQ(client.run("STORE 1 FLAGS (\\Seen)"), "* 1 FETCH (FLAGS (\\Seen))\r\nT OK Store completed.\r\n");
  EXPECT_EQ(client.run("STORE 1 +FLAGS \\Flagged \\Draft"),
            "* 1 FETCH (FLAGS (\\Flagged \\Seen \\Draft))\r\nT OK Store completed.\r\n");
  EXPECT_EQ(client.run("UID STORE 1 -FLAGS.SILENT (\\Flagged)"), "T OK Store completed.\r\n");
  EXPECT_EQ(client.run("UID STORE 1 -flags (\\Draft)"),
            "* 1 FETCH (UID 1 FLAGS (\\Seen))\r\nT OK Store completed.\r\n");
  EXPECT_THAT(client.run("STORE 1 +FLAGS ($Work)"), AllOf(HasSubstr("* FLAGS ("), HasSubstr("$Work")));
  EXPECT_THAT(client.run("STORE 1 FLAGS ()"), HasSubstr("* 1 FETCH (FLAGS ())"));
  EXPECT_THAT(client.run("STORE 1 +FLAGS (\\Foo)"), HasSubstr("T BAD"));
  EXPECT_THAT(client.run("STORE 9 +FLAGS (\\Seen)"), HasSubstr("T BAD"));
  EXPECT_EQ(client.run("UID STORE 9 +FLAGS (\\Seen)"), "T OK Store completed.\r\n");
}

TEST_F(Messages, StoreLeavesWhatChangedSince) {
  client.run("ENABLE CONDSTORE");
  const std::string fetched = client.run("FETCH 1 MODSEQ");
  const std::size_t at = fetched.find("MODSEQ (") + 8;
  const std::string modseq = fetched.substr(at, fetched.find(')', at) - at);
  EXPECT_THAT(client.run("STORE 1 +FLAGS.SILENT (\\Seen)"), HasSubstr("* 1 FETCH (MODSEQ ("));
  const std::string reply = client.run("STORE 1,2 (UNCHANGEDSINCE " + modseq + ") +FLAGS (\\Flagged)");
  EXPECT_THAT(reply, AllOf(HasSubstr("T OK [MODIFIED 1"), Not(HasSubstr("* 1 FETCH"))));
  EXPECT_THAT(client.run("FETCH 1 FLAGS"), Not(HasSubstr("Flagged")));
}

TEST_F(Messages, ExpungeWithNothingToExpungeSaysNothing) {
  // Bug class 3: an untagged EXISTS makes Apple Mail loop.
  EXPECT_EQ(client.run("EXPUNGE"), "T OK Nothing to expunge.\r\n");
  EXPECT_EQ(client.run("UID EXPUNGE 1:*"), "T OK Nothing to expunge.\r\n");
}

TEST_F(Messages, ExpungeTellsNumbersThatHoldOneAfterTheOther) {
  client.run("STORE 1,2,4 +FLAGS.SILENT (\\Deleted)");
  EXPECT_EQ(client.run("EXPUNGE"),
            "* 4 EXPUNGE\r\n* 2 EXPUNGE\r\n* 1 EXPUNGE\r\nT OK Expunge completed.\r\n");
  EXPECT_THAT(client.run("FETCH 1 UID"), HasSubstr("UID 3"));
}

TEST_F(Messages, UidExpungeTakesOnlyItsUids) {
  client.run("STORE 1:4 +FLAGS.SILENT (\\Deleted)");
  EXPECT_EQ(client.run("UID EXPUNGE 2"), "* 2 EXPUNGE\r\nT OK Expunge completed.\r\n");
  // Bug class 9: "N:*" beyond the end is the last one here too.
  EXPECT_EQ(client.run("UID EXPUNGE 99:*"), "* 3 EXPUNGE\r\nT OK Expunge completed.\r\n");
  EXPECT_THAT(client.run("UID EXPUNGE"), HasSubstr("T BAD"));
}

TEST_F(Messages, CopyAndMoveSayTheNewUids) {
  EXPECT_THAT(client.run("COPY 1,3:4 Sent"), AllOf(HasSubstr("T OK [COPYUID "), HasSubstr(" 1,3:4 1:3]")));
  EXPECT_THAT(client.run("UID COPY 1 Sent"), HasSubstr(" 1 4]"))
      << "bug class 16: also when it is there already";
  const std::string moved = client.run("MOVE 2:3 Sent");
  EXPECT_THAT(moved, AllOf(StartsWith("* OK [COPYUID "), HasSubstr(" 2:3 5:6]"),
                           HasSubstr("* 3 EXPUNGE\r\n* 2 EXPUNGE"), HasSubstr("T OK")));
  EXPECT_THAT(client.run("STATUS Sent (MESSAGES)"), HasSubstr("MESSAGES 6"));
  EXPECT_THAT(client.run("FETCH 1:* UID"),
              AllOf(HasSubstr("* 1 FETCH (UID 1)"), HasSubstr("* 2 FETCH (UID 4)")));
}

TEST_F(Messages, MovingWhatIsGoneIsASuccess) {
  // Bug class 16: UID MOVE of UIDs that were expunged answered NO.
  client.run("UID MOVE 2 Trash");
  EXPECT_EQ(client.run("UID MOVE 2 Trash"), "T OK No messages moved.\r\n");
  EXPECT_EQ(client.run("UID COPY 77:99 Trash"), "T OK No messages copied.\r\n");
}

TEST_F(Messages, PipelinedCommandsTakeEffectInTheirOrder) {
  // Bug class 17: STORE, EXPUNGE and FETCH in one packet.
  client.send("a STORE 1 +FLAGS (\\Deleted)\r\nb EXPUNGE\r\nc FETCH 1 (UID FLAGS)\r\n");
  EXPECT_EQ(
      client.until("c "),
      "* 1 FETCH (FLAGS (\\Deleted))\r\na OK Store completed.\r\n* 1 EXPUNGE\r\nb OK Expunge completed.\r\n"
      "* 1 FETCH (UID 2 FLAGS ())\r\nc OK Fetch completed.\r\n");
}

TEST_F(Messages, CloseExpungesAndUnselectDoesNot) {
  client.run("STORE 1 +FLAGS.SILENT (\\Deleted)");
  EXPECT_EQ(client.run("UNSELECT"), "T OK Unselect completed.\r\n");
  EXPECT_THAT(client.run("STATUS INBOX (MESSAGES DELETED)"), HasSubstr("MESSAGES 4 DELETED 1"));
  client.run("EXAMINE INBOX");
  EXPECT_EQ(client.run("CLOSE"), "T OK Close completed.\r\n");
  EXPECT_THAT(client.run("STATUS INBOX (MESSAGES)"), HasSubstr("MESSAGES 4"));
  client.run("SELECT INBOX");
  EXPECT_EQ(client.run("CLOSE"), "T OK Close completed.\r\n");
  EXPECT_THAT(client.run("STATUS INBOX (MESSAGES)"), HasSubstr("MESSAGES 3"));
  EXPECT_THAT(client.run("FETCH 1 FLAGS"), HasSubstr("T BAD"));
}

TEST_F(Messages, ExamineChangesNothing) {
  EXPECT_THAT(client.run("EXAMINE INBOX"),
              AllOf(HasSubstr("T OK [READ-ONLY]"), HasSubstr("[PERMANENTFLAGS ()]")));
  for (const char* command : {"STORE 1 +FLAGS (\\Seen)", "EXPUNGE", "MOVE 1 Sent"})
    EXPECT_THAT(client.run(command), HasSubstr("T NO")) << command;
  EXPECT_THAT(client.run("COPY 1 Sent"), HasSubstr("T OK"));
}

}  // namespace
}  // namespace muhur::imap::test

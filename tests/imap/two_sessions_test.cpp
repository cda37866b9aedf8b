// What one session sees of another.
#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class TwoSessions : public ::testing::Test {
 protected:
  TwoSessions() {
    for (const char* subject : {"one", "two", "three"}) a.append("INBOX", message(subject));
    a.run("SELECT INBOX");
    b.run("SELECT INBOX");
  }
  House house;
  Client a = house.signed_in(), b = house.signed_in();
};

TEST_F(TwoSessions, ExpungeIsNotToldDuringFetchStoreAndSearch) {
  b.run("STORE 1 +FLAGS.SILENT (\\Deleted)");
  b.run("EXPUNGE");
  EXPECT_THAT(a.run("FETCH 1:* UID"),
              AllOf(Not(HasSubstr("EXPUNGE")), Not(HasSubstr("* 1 FETCH")), HasSubstr("* 2 FETCH (UID 2)")));
  EXPECT_THAT(a.run("STORE 2 +FLAGS (\\Seen)"), AllOf(Not(HasSubstr("EXPUNGE")), HasSubstr("* 2 FETCH")));
  EXPECT_THAT(a.run("SEARCH ALL"), AllOf(Not(HasSubstr("EXPUNGE")), HasSubstr("* SEARCH 2 3")));
  b.append("INBOX", message("four"));
  EXPECT_THAT(a.run("FETCH 2 FLAGS"), AllOf(HasSubstr("* 4 EXISTS"), Not(HasSubstr("EXPUNGE"))))
      << "the one that is gone counts until it is told";
  EXPECT_THAT(a.run("NOOP"), StartsWith("* 1 EXPUNGE\r\n"));
  EXPECT_THAT(a.run("FETCH 1:* UID"), AllOf(HasSubstr("* 1 FETCH (UID 2)"), HasSubstr("* 3 FETCH (UID 4)")));
}

TEST_F(TwoSessions, UidCommandsMayTellOfExpunge) {
  b.run("STORE 1 +FLAGS.SILENT (\\Deleted)");
  b.run("EXPUNGE");
  EXPECT_THAT(a.run("UID FETCH 1:* UID"), HasSubstr("* 1 EXPUNGE"));
}

TEST_F(TwoSessions, FlagsOfOthersAreToldOnceAndOnesOwnNotAgain) {
  EXPECT_EQ(b.run("STORE 2 +FLAGS.SILENT (\\Seen)"), "T OK Store completed.\r\n");
  EXPECT_EQ(b.run("NOOP"), "T OK NOOP completed.\r\n");
  EXPECT_EQ(a.run("NOOP"), "* 2 FETCH (FLAGS (\\Seen))\r\nT OK NOOP completed.\r\n");
  EXPECT_EQ(a.run("NOOP"), "T OK NOOP completed.\r\n");
}

TEST_F(TwoSessions, NewMailIsRecentToOneOfThem) {
  Client c = house.signed_in();
  c.append("INBOX", message("four"));
  const std::string first = a.run("NOOP");
  const std::string second = b.run("NOOP");
  EXPECT_THAT(first, AllOf(HasSubstr("* 4 EXISTS"), HasSubstr("* 1 RECENT")));
  EXPECT_THAT(second, AllOf(HasSubstr("* 4 EXISTS"), HasSubstr("* 0 RECENT")));
  EXPECT_THAT(a.run("FETCH 4 FLAGS"), HasSubstr("FLAGS (\\Recent)"));
  EXPECT_THAT(b.run("FETCH 4 FLAGS"), HasSubstr("FLAGS ()"));
  EXPECT_THAT(a.run("SEARCH RECENT"), HasSubstr("* SEARCH 4\r\n"));
  EXPECT_THAT(a.run("SEARCH NEW"), HasSubstr("* SEARCH 4\r\n"));
}

TEST_F(TwoSessions, MailDeliveredBetweenLoginAndSelectIsThereOnce) {
  // Bug class 24: "UID already present".
  Client c = house.signed_in();
  const auto to = must(house.office().accept_recipient_blocking(std::string(kAlice), 100));
  ASSERT_TRUE(house.office().deliver_blocking("ada@example.net", std::span(&to, 1), message("new")).at(0));
  a.send("i IDLE\r\n");
  a.until("* 4 EXISTS");
  EXPECT_THAT(c.run("SELECT INBOX"), HasSubstr("* 4 EXISTS"));
  EXPECT_THAT(c.run("STATUS INBOX (MESSAGES UIDNEXT)"), HasSubstr("MESSAGES 4 UIDNEXT 5"));
  EXPECT_THAT(c.run("NOOP"), Not(HasSubstr("EXISTS")));
}

TEST_F(TwoSessions, AFolderDeletedByAnotherEndsTheSession) {
  a.run("CREATE x");
  a.run("SELECT x");
  b.run("DELETE x");
  a.send("n NOOP\r\n");
  EXPECT_THAT(a.until("* BYE"), HasSubstr("deleted"));
  EXPECT_TRUE(a.wire().at_end());
}

TEST_F(TwoSessions, CondstoreNewsCarryModseqs) {
  a.run("ENABLE CONDSTORE");
  b.run("STORE 3 +FLAGS (\\Flagged)");
  EXPECT_THAT(a.run("NOOP"), AllOf(HasSubstr("* 3 FETCH (UID 3 FLAGS (\\Flagged) MODSEQ (")));
}

}  // namespace
}  // namespace muhur::imap::test

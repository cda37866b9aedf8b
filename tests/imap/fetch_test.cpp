#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Fetch : public ::testing::Test {
 protected:
  Fetch() {
    for (const char* subject : {"one", "two", "three"}) client.append("INBOX", message(subject));
    client.run("SELECT INBOX");
  }
  House house;
  Client client = house.signed_in();
};

TEST_F(Fetch, AnswersInAscendingOrderWithTheUidFirst) {
  // Bug class 4: Thunderbird mixes mails up otherwise.
  EXPECT_EQ(client.run("UID FETCH 3,1:2 (FLAGS UID)"),
            "* 1 FETCH (UID 1 FLAGS ())\r\n* 2 FETCH (UID 2 FLAGS ())\r\n* 3 FETCH (UID 3 FLAGS ())\r\n"
            "T OK Fetch completed.\r\n");
  EXPECT_EQ(client.run("FETCH 2 UID"), "* 2 FETCH (UID 2)\r\nT OK Fetch completed.\r\n");
}

TEST_F(Fetch, FindsTheLastMessageByStar) {
  // Bug class 9: "N:*" with N beyond the end is the last message.
  for (const char* set : {"*", "99:*", "*:99", "3:*", "4294967295:*"})
    EXPECT_EQ(client.run("UID FETCH " + std::string(set) + " UID"),
              "* 3 FETCH (UID 3)\r\nT OK Fetch completed.\r\n")
        << set;
  EXPECT_THAT(client.run("FETCH *:1 UID"), AllOf(StartsWith("* 1 FETCH"), HasSubstr("* 3 FETCH")));
  EXPECT_THAT(client.run("UID FETCH 7 UID"), StartsWith("T OK"));
  EXPECT_THAT(client.run("FETCH 4 UID"), StartsWith("T BAD"));
}

TEST_F(Fetch, SetsSeenAndSaysSoInTheSameResponse) {
  EXPECT_THAT(client.run("FETCH 1 BODY.PEEK[TEXT]"), Not(HasSubstr("Seen")));
  const std::string seen = client.run("FETCH 1 BODY[TEXT]");
  EXPECT_THAT(seen, HasSubstr("Hello.\r\n FLAGS (\\Seen))\r\n"));
  EXPECT_EQ(seen.find("* 1 FETCH"), seen.rfind("* 1 FETCH")) << "told once";
  EXPECT_THAT(client.run("FETCH 1 BODY[TEXT]"), Not(HasSubstr("FLAGS")));
  EXPECT_THAT(client.run("FETCH 2 (FLAGS RFC822)"), HasSubstr("(FLAGS (\\Seen) RFC822 {"));
  EXPECT_THAT(client.run("FETCH 3 RFC822.HEADER"), Not(HasSubstr("Seen")));
  client.run("EXAMINE INBOX");
  EXPECT_THAT(client.run("FETCH 3 BODY[]"), Not(HasSubstr("Seen")));
}

TEST_F(Fetch, KnowsOutlooksObsoletePeek) {
  // Bug class 14: UID FETCH n (UID RFC822.SIZE RFC822.PEEK).
  const std::string got = client.run("UID FETCH 1 (UID RFC822.SIZE RFC822.PEEK)");
  EXPECT_THAT(got, AllOf(HasSubstr("T OK"), HasSubstr("RFC822 {"), Not(HasSubstr("Seen"))));
}

TEST_F(Fetch, CutsPartsOutOfSections) {
  EXPECT_THAT(client.run("FETCH 1 BODY.PEEK[TEXT]<1.3>"), HasSubstr("BODY[TEXT]<1> {3}\r\nell"));
  EXPECT_THAT(client.run("FETCH 1 BODY.PEEK[TEXT]<6.300>"), HasSubstr("BODY[TEXT]<6> {2}\r\n\r\n"));
  EXPECT_THAT(client.run("FETCH 1 BODY.PEEK[TEXT]<300.5>"), HasSubstr("BODY[TEXT]<300> {0}\r\n"));
  EXPECT_THAT(client.run("FETCH 1 BODY.PEEK[HEADER.FIELDS (SUBJECT)]<0.7>"), HasSubstr("<0> {7}\r\nSubject"));
  EXPECT_THAT(client.run("FETCH 1 BODY.PEEK[2]"), HasSubstr("BODY[2] NIL"));
}

TEST_F(Fetch, DescribesMessages) {
  const std::string got = client.run("FETCH 1 FULL");
  EXPECT_THAT(got,
              AllOf(HasSubstr("ENVELOPE (\"Mon, 30 Nov 2026 10:06:14 +0100\" \"one\" ((\"Ada\" NIL \"ada\" "
                              "\"example.net\"))"),
                    HasSubstr("BODY (\"text\" \"plain\" (\"charset\" \"us-ascii\") NIL NIL \"7bit\" 8 1)"),
                    HasSubstr("RFC822.SIZE "), HasSubstr("INTERNALDATE \"")));
}

TEST_F(Fetch, TellsWhatChangedSince) {
  // Bug class 23: iOS sends CHANGEDSINCE 0; a higher modseq follows every change.
  EXPECT_THAT(client.run("UID FETCH 1:* (FLAGS) (CHANGEDSINCE 0)"),
              AllOf(HasSubstr("* 1 FETCH (UID 1 FLAGS () MODSEQ ("), HasSubstr("* 3 FETCH")));
  const std::string status = client.run("STATUS INBOX (HIGHESTMODSEQ)");
  const std::string modseq = status.substr(status.find("HIGHESTMODSEQ ") + 14,
                                           status.find(')') - status.find("HIGHESTMODSEQ ") - 14);
  EXPECT_THAT(client.run("UID FETCH 1:* (FLAGS) (CHANGEDSINCE " + modseq + ")"), StartsWith("T OK"));
  client.run("STORE 2 +FLAGS (\\Flagged)");
  EXPECT_THAT(client.run("UID FETCH 1:* (FLAGS) (CHANGEDSINCE " + modseq + ")"),
              AllOf(StartsWith("* 2 FETCH (UID 2 FLAGS (\\Flagged) MODSEQ ("), Not(HasSubstr("* 3 FETCH"))));
}

TEST_F(Fetch, OfManyMessagesIsWhole) {
  for (int i = 0; i < 700; ++i)
    client.append("Sent", message("m" + std::to_string(i), std::string(700, 'x')));
  client.run("SELECT Sent");
  const std::string got = client.run("UID FETCH 1:* (UID BODY.PEEK[])");
  std::size_t at = 0;
  for (int i = 0; i < 700; ++i) {
    at = got.find("Subject: m" + std::to_string(i) + "\r\n", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(Fetch, OfALargeMessageComesInOnePiece) {
  std::string body;
  while (body.size() < 3'000'000) body += "line " + std::to_string(body.size() * 7919) + "\r\n";
  client.append("Sent", message("large", body));
  client.run("SELECT Sent");
  EXPECT_EQ(literal_of(client.run("FETCH 1 BODY.PEEK[TEXT]")), body);
  EXPECT_EQ(literal_of(client.run("FETCH 1 BODY.PEEK[TEXT]<1234567.1000000>")),
            body.substr(1234567, 1000000));
}

TEST_F(Fetch, SeparatesItemsWhateverALiteralEndsWith) {
  // Bug: the space was left out behind a literal that ended in '(' or filled the buffer to be sent.
  for (const std::string& body :
       {std::string("open ("), std::string(64 * 1024, '('), std::string(200'000, '(')}) {
    client.append("Sent", message("x", body));
    client.run("SELECT Sent");
    const std::string got = client.run("FETCH * (BODY.PEEK[TEXT] BODY.PEEK[1] FLAGS)");
    EXPECT_THAT(got,
                HasSubstr(body + " BODY[1] {" + std::to_string(body.size()) + "}\r\n" + body + " FLAGS ("));
  }
}

TEST_F(Fetch, ByASlowReaderDelaysNobody) {
  // Bug class 26: a lock was held while sending to a reader that did not read.
  std::string body(2'000'000, 'x');
  client.append("INBOX", message("large", body));
  Client slow = house.connect({.capacity = 4096});
  slow.login();
  slow.run("SELECT INBOX");
  slow.send("s FETCH 1:* BODY[]\r\n");
  EXPECT_THAT(client.append("INBOX", message("meanwhile")), HasSubstr("T OK"));
  EXPECT_THAT(client.run("STORE 5 +FLAGS (\\Deleted)"), HasSubstr("T OK"));
  EXPECT_THAT(client.run("EXPUNGE"), HasSubstr("* 5 EXPUNGE"));
  Client third = house.selected();
  EXPECT_THAT(third.run("FETCH 1:* FLAGS"), HasSubstr("T OK"));
  EXPECT_THAT(slow.until("s "), AllOf(HasSubstr(body), HasSubstr("s OK")));
}

}  // namespace
}  // namespace muhur::imap::test

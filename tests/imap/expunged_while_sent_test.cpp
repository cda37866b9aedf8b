// A message that another session expunges while its octets are on their way.
#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ExpungedWhileSent : public ::testing::Test {
 protected:
  ExpungedWhileSent() {
    while (body_.size() < 2'000'000) body_ += "line " + std::to_string(body_.size() * 7919) + "\r\n";
    other_.append("INBOX", message("small"));
    other_.append("INBOX", message("large", body_));
    other_.run("SELECT INBOX");
    slow_.login();
    slow_.run("SELECT INBOX");
  }
  void expunge_all() {
    other_.run("STORE 1:* +FLAGS.SILENT (\\Deleted)");
    ASSERT_THAT(other_.run("EXPUNGE"), AllOf(HasSubstr("* 2 EXPUNGE"), HasSubstr("* 1 EXPUNGE")));
  }
  std::int64_t count(std::string_view sql) {
    return must(house_.box()->database().read([&](vault::Connection& c) { return c.query_int(sql); }));
  }
  void expect_room_given_back() {
    // Behind what the end of the FETCH handed to the writer.
    must(house_.box()->database().write([](vault::Connection&) -> Result<void> { return {}; }));
    EXPECT_EQ(count("SELECT count(*) FROM emails"), 0);
    EXPECT_EQ(count("SELECT count(*) FROM email_chunks"), 0);
    EXPECT_EQ(count("SELECT count(*) FROM leaving"), 0);
  }

  std::string body_;
  House house_;
  Client other_ = house_.signed_in();
  Client slow_ = house_.connect({.capacity = 4096});
};

TEST_F(ExpungedWhileSent, AllOctetsArriveAndThenItsRoomIsGivenBack) {
  // Bug: the connection was closed in the middle of the literal.
  slow_.send("s FETCH 2 (BODY.PEEK[] FLAGS)\r\n");
  const std::string head = slow_.wire().line();
  const std::string whole = message("large", body_);
  ASSERT_THAT(head, StartsWith("* 2 FETCH (BODY[] {" + std::to_string(whole.size()) + "}"));
  std::string got = slow_.wire().octets(10'000);
  expunge_all();
  EXPECT_EQ(count("SELECT count(*) FROM emails"), 1) << "kept for the one that reads it";
  EXPECT_EQ(must(house_.box()->bytes_used()), 0u);
  got += slow_.wire().octets(whole.size() - got.size());
  EXPECT_EQ(got, whole);
  EXPECT_THAT(slow_.until("s "), EndsWith("s OK Fetch completed.\r\n"));
  expect_room_given_back();
  EXPECT_THAT(slow_.run("NOOP"), HasSubstr("* 1 EXPUNGE")) << "it is told when it may be";
}

TEST_F(ExpungedWhileSent, LaterPartsOfTheSameResponseArriveToo) {
  // Bug: an envelope or a part that came behind a large one was looked up only when its turn came.
  slow_.send("s FETCH 2 (BODY.PEEK[TEXT] ENVELOPE BODY.PEEK[1]<0.5> BODYSTRUCTURE BODY.PEEK[HEADER])\r\n");
  const std::string head = slow_.wire().line();
  std::string got = slow_.wire().octets(10'000);
  expunge_all();
  got += slow_.wire().octets(body_.size() - got.size());
  EXPECT_EQ(got, body_);
  EXPECT_THAT(slow_.until("s "),
              AllOf(HasSubstr("ENVELOPE (\"Mon, 30 Nov 2026"), HasSubstr("BODY[1]<0> {5}\r\nline "),
                    HasSubstr("Subject: large"), EndsWith("s OK Fetch completed.\r\n")));
  expect_room_given_back();
}

TEST_F(ExpungedWhileSent, MessagesWhoseTurnHasNotComeArePassedOver) {
  slow_.send("s FETCH 2,1 (BODY.PEEK[])\r\n");
  slow_.wire().line();
  expunge_all();
  EXPECT_THAT(slow_.until("s "), EndsWith("s OK Fetch completed.\r\n"));
}

TEST_F(ExpungedWhileSent, AClientThatGoesAwayInTheMiddleHoldsNothing) {
  slow_.send("s FETCH 2 (BODY.PEEK[])\r\n");
  slow_.wire().octets(10'000);
  expunge_all();
  slow_.wire().close();
  for (int i = 0; i < 20'000 && count("SELECT count(*) FROM emails") > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  expect_room_given_back();
}

TEST_F(ExpungedWhileSent, AClosedAccountGetsNoMoreOfIt) {
  // Bug: whoever was disabled during a FETCH still got all of it.
  slow_.send("s FETCH 2 (BODY.PEEK[])\r\n");
  slow_.wire().octets(10'000);
  must(house_.office().set_disabled(must(house_.office().users().by_address(kAlice)).id, true));
  std::size_t received = 0;
  while (!slow_.wire().at_end()) received += slow_.wire().octets(1).size();
  EXPECT_LT(received, 1'000'000u);
}

}  // namespace
}  // namespace muhur::imap::test

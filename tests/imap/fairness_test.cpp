// What one user's session may cost the others: threads, memory, connections.
#include "imap/harness.hpp"
#include "imap/limits.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Fairness, ASearchHasOnlySoManyKeys) {
  // Bug: ten thousand keys in one command, each looked for in each message, held a thread for hours.
  House house;
  Client client = house.selected();
  EXPECT_THAT(client.run("SEARCH" + repeat(" TEXT a", 501)), HasSubstr("T BAD SEARCH: too many keys"));
  EXPECT_THAT(client.run("SEARCH" + repeat(" TEXT a", 499)), HasSubstr("T OK"));
  EXPECT_THAT(client.run("SEARCH" + repeat(" 1:*", 501)), HasSubstr("T BAD"));
}

TEST(Fairness, ALongSearchFindsTheSameStepByStep) {
  House house;
  Client client = house.selected();
  for (int i = 0; i < 300; ++i) client.append("INBOX", message("m", i % 100 == 0 ? "needle" : "hay"));
  EXPECT_THAT(client.run("SEARCH BODY needle"), HasSubstr("* SEARCH 1 101 201\r\n"));
  EXPECT_THAT(client.run("SEARCH 2:150,299:* BODY needle MODSEQ 1"), HasSubstr("* SEARCH 101 (MODSEQ "));
}

TEST(Fairness, ListPatternsAreShort) {
  // Bug: fifty patterns of kilobytes against thousands of folders kept the server's own thread for minutes.
  House house;
  Client client = house.signed_in();
  EXPECT_THAT(client.run("LIST \"\" \"" + repeat("*a", 2'001) + "\""), HasSubstr("T BAD"));
  EXPECT_THAT(client.run("LIST \"\" (" + repeat("INBOX ", 49) + "%)"), HasSubstr("T OK"));
  EXPECT_THAT(client.run("LSUB \"\" \"" + repeat("%", 4'000) + "\""), HasSubstr("INBOX"));
}

TEST(Fairness, ManyFoldersAreListedInPieces) {
  House house;
  Client client = house.signed_in();
  must(house.box()->database().write([](vault::Connection& c) {
    return c.exec(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
        "INSERT INTO mailboxes (path, uid_validity) SELECT printf('f%04d', i), 1 FROM n");
  }));
  const std::string all = client.run("LIST \"\" f*");
  for (int i = 1; i <= 3000; i += 97)
    EXPECT_THAT(all, HasSubstr("\"/\" f" + std::to_string(10'000 + i).substr(1) + "\r\n"));
  EXPECT_EQ(std::ranges::count(all, '\n'), 3001);
}

TEST(Fairness, AStoreOfManyMessagesGoesOnPartByPart) {
  House house;
  Client client = house.signed_in();
  auto box = house.box();
  const std::string text = message("x");
  const std::vector<mailbox::AppendRequest> requests(
      300, mailbox::AppendRequest{.folder = house.folder("INBOX"), .message = text, .flags = {}});
  for (int i = 0; i < 8; ++i) must(box->append_all(requests));
  client.run("SELECT INBOX");
  const std::string got = client.run("STORE 1:* +FLAGS (\\Flagged work)");
  EXPECT_THAT(got, AllOf(HasSubstr("* 1 FETCH (FLAGS (\\Flagged"),
                         HasSubstr("* 2400 FETCH (FLAGS (\\Flagged"), HasSubstr("T OK Store completed")));
  EXPECT_THAT(client.run("SEARCH RETURN (COUNT) FLAGGED KEYWORD work"), HasSubstr("COUNT 2400"));
  const std::string modseq = client.run("FETCH 1500 MODSEQ");
  const std::size_t at = modseq.find("MODSEQ (") + 8;
  const std::string old = modseq.substr(at, modseq.find(')', at) - at);
  client.run("STORE 1501 +FLAGS.SILENT (\\Seen)");
  EXPECT_THAT(client.run("STORE 1001:1501,2400 (UNCHANGEDSINCE " + old + ") +FLAGS.SILENT (\\Answered)"),
              HasSubstr("T OK [MODIFIED 1501,2400]"));
}

TEST(Fairness, AUserHasOnlySoManySessions) {
  // Bug: one account could take all connections of the server.
  House house({.max_sessions_per_user = 2});
  auto first = std::make_optional(house.signed_in());
  Client second = house.signed_in();
  Client third = house.connect();
  EXPECT_THAT(third.login(), AllOf(HasSubstr("T NO [LIMIT]"), Not(HasSubstr("* BYE"))));
  EXPECT_THAT(third.login("bob@example.org"), HasSubstr("T OK"));
  EXPECT_THAT(first->run("LOGOUT"), HasSubstr("T OK"));
  EXPECT_TRUE(first->wire().at_end());
  EXPECT_THAT(house.connect().login(), HasSubstr("T OK"));
}

TEST(Fairness, MessagesOnTheirWayShareABoundedMemory) {
  // Bug: a thousand sessions could each have a message of the largest size in memory.
  House house({.append_memory = 1'000});
  Client first = house.signed_in(), second = house.connect();
  second.login("bob@example.org");
  first.send("a APPEND INBOX {800}\r\n");
  EXPECT_THAT(first.response(), StartsWith("+ "));
  second.send("b APPEND INBOX {300}\r\n");
  EXPECT_THAT(second.response(), StartsWith("b NO [UNAVAILABLE]"));
  second.send("c APPEND INBOX {300+}\r\n" + std::string(300, 'x') + "\r\nd NOOP\r\n");
  EXPECT_THAT(second.until("d "), AllOf(HasSubstr("c NO [UNAVAILABLE]"), HasSubstr("d OK")));
  second.send("e APPEND INBOX {200}\r\n");
  EXPECT_THAT(second.response(), StartsWith("+ "));
  first.send(std::string(800, 'x') + "\r\n");
  EXPECT_THAT(first.until("a "), HasSubstr("a OK"));
  second.send(std::string(200, 'x') + "\r\n");
  EXPECT_THAT(second.until("e "), HasSubstr("e OK"));
  EXPECT_THAT(second.append("INBOX", std::string(5'000, 'x')), HasSubstr("T OK"))
      << "alone, one always gets in";
}

TEST(Fairness, AUserWhoBeginsManyMessagesKeepsNobodyElseFromTheMemory) {
  House house({.append_memory = 1'000});
  Client first = house.signed_in(), second = house.signed_in(), other = house.connect();
  other.login("bob@example.org");
  first.send("a APPEND INBOX {200}\r\n");
  EXPECT_THAT(first.response(), StartsWith("+ "));
  first.wire().until_time_is(kStalled);
  second.send("b APPEND INBOX {100}\r\n");
  EXPECT_THAT(second.response(), StartsWith("b NO [UNAVAILABLE]")) << "a quarter a user";
  other.send("c APPEND INBOX {240}\r\n");
  EXPECT_THAT(other.response(), StartsWith("+ "));
  first.send(std::string(200, 'x') + "\r\n");
  EXPECT_THAT(first.until("a "), HasSubstr("a OK"));
  first.wire().until_time_is(ServerOptions{}.idle_timeout);
  EXPECT_THAT(second.append("INBOX", std::string(250, 'x')), HasSubstr("T OK"));
}

TEST(Fairness, ALineWithoutEndEndsTheConnectionWhateverItAnswers) {
  // Bug: behind AUTHENTICATE and IDLE the rest of such a line was taken for commands.
  House house;
  for (const char* command : {"AUTHENTICATE PLAIN", "NOOP"}) {
    Client client = house.connect({.peer = {"127.0.0.1", 1, true}});
    client.send("a " + std::string(command) + "\r\n");
    client.response();
    client.send(repeat("b NOOP ", 700'000));
    EXPECT_THAT(client.until("* BYE"), Not(HasSubstr("b OK"))) << command;
    EXPECT_TRUE(client.wire().at_end()) << command;
  }
}

}  // namespace
}  // namespace muhur::imap::test

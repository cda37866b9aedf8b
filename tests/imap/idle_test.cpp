#include "imap/harness.hpp"

namespace muhur::imap::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Idle, EndsAndTheNextCommandRunsInOnePacket) {
  // Bug class 1: iOS 18 sends DONE and the next command together.
  House house;
  Client client = house.selected();
  client.send("A1 IDLE\r\n");
  EXPECT_EQ(client.response(), "+ idling\r\n");
  client.send("DONE\r\nA2 NOOP\r\n");
  EXPECT_THAT(client.until("A2 "), AllOf(HasSubstr("A1 OK"), HasSubstr("A2 OK")));
  client.send("B1 IDLE\r\ndone\r\nB2 NOOP\r\n");
  EXPECT_THAT(client.until("B2 "), AllOf(StartsWith("+ idling"), HasSubstr("B1 OK"), HasSubstr("B2 OK")));
}

TEST(Idle, TellsWhatOthersDo) {
  House house;
  Client idling = house.selected();
  idling.send("A IDLE\r\n");
  idling.response();
  Client other = house.selected();
  for (int i = 0; i < 2; ++i) other.append("INBOX", message("x"));
  EXPECT_THAT(idling.until("* 2 EXISTS"), HasSubstr("* 2 EXISTS"));
  other.run("STORE 1 +FLAGS (\\Flagged)");
  EXPECT_THAT(idling.until("* 1 FETCH"), HasSubstr("FLAGS (\\Flagged"));
  other.run("STORE 2 +FLAGS (\\Deleted)");
  other.run("EXPUNGE");
  EXPECT_THAT(idling.until("* 2 EXPUNGE"), HasSubstr("* 2 EXPUNGE"));
  idling.send("DONE\r\n");
  EXPECT_THAT(idling.until("A "), HasSubstr("A OK"));
}

TEST(Idle, HearsOfDeliveredMail) {
  House house;
  Client idling = house.selected();
  idling.send("A IDLE\r\n");
  idling.response();
  const auto to = must(house.office().accept_recipient_blocking(std::string(kAlice), 100));
  const auto receipts =
      house.office().deliver_blocking("ada@example.net", std::span(&to, 1), message("news"));
  ASSERT_TRUE(receipts.at(0));
  EXPECT_THAT(idling.until("* 1 EXISTS"), HasSubstr("* 1 EXISTS"));
}

TEST(Idle, WorksWithNothingSelected) {
  House house;
  Client client = house.signed_in();
  client.send("A IDLE\r\n");
  client.response();
  client.send("WRONG\r\nB NOOP\r\n");
  EXPECT_THAT(client.until("B "), AllOf(HasSubstr("A BAD"), HasSubstr("B OK")));
}

TEST(Idle, OfADeadPeerEnds) {
  // Bug class 27: over 29 minutes and no round number; a peer that is silent for longer is dropped.
  ServerOptions options;
  EXPECT_GT(options.idle_timeout, std::chrono::minutes(29));
  EXPECT_NE(options.idle_timeout.count() % (10 * 60'000), 0);
  EXPECT_LT(options.idle_keep_alive, std::chrono::minutes(29));
  options.idle_timeout = Millis(200);
  House house(options);
  Client client = house.selected();
  client.send("A IDLE\r\n");
  client.response();
  EXPECT_THAT(client.until("* BYE"), HasSubstr("* BYE"));
  EXPECT_TRUE(client.wire().at_end());
}

TEST(Idle, LastsAsLongAfterMuchNews) {
  // Bug: the time that a large piece of news was given to go out stayed the time of the whole IDLE.
  House house;
  Client idling = house.selected();
  auto box = house.box();
  const std::string text = message("x");
  must(box->append_all(std::vector<mailbox::AppendRequest>(
      800, mailbox::AppendRequest{.folder = house.folder("INBOX"), .message = text, .flags = {}})));
  idling.send("A IDLE\r\n");
  idling.until("* 800 EXISTS");
  must(box->store(house.folder("INBOX"), {{1, 800}}, mailbox::FlagChange::add,
                  {.system = mailbox::kFlagged, .keywords = {"news"}}));
  idling.until("* 800 FETCH");
  idling.wire().until_time_is(ServerOptions{}.idle_timeout);
  idling.send("DONE\r\n");
  EXPECT_THAT(idling.until("A "), HasSubstr("A OK"));
}

TEST(Idle, SaysThatItIsStillThere) {
  // Bug class 27: without a sign of life NATs forget the connection and dead peers are never found.
  ServerOptions options;
  options.idle_keep_alive = Millis(20);
  House house(options);
  Client client = house.selected();
  client.send("A IDLE\r\n");
  EXPECT_EQ(client.response(), "+ idling\r\n");
  EXPECT_EQ(client.response(), "* OK Still here\r\n");
  EXPECT_EQ(client.response(), "* OK Still here\r\n");
  client.send("DONE\r\n");
  EXPECT_THAT(client.until("A "), HasSubstr("A OK"));
}

TEST(Idle, EndsQuietlyWhenTheClientGoes) {
  House house;
  {
    Client client = house.selected();
    client.send("A IDLE\r\n");
    client.response();
  }
  Client other = house.signed_in();
  EXPECT_THAT(other.append("INBOX", message("x")), HasSubstr("T OK"));
}

}  // namespace
}  // namespace muhur::imap::test

#include "lmtp_client.hpp"
#include "passwords/bcrypt.hpp"

namespace muhur::lmtp {
namespace {

const std::string kMessage = "Subject: hello\r\n\r\nbody\r\n";

TEST_F(LmtpTest, TakesAMessageAndAnswersOncePerRecipientInOrder) {
  add("alice");
  add("bob");
  const auto said = talk(
      "LHLO mx.example.net\r\nMAIL FROM:<s@example.net> SIZE=20\r\nRCPT TO:<alice@example.org>\r\n"
      "RCPT TO:<nobody@example.org>\r\nRCPT TO:<bob+tag@example.org>\r\nDATA\r\n" +
      kMessage + ".\r\nQUIT\r\n");
  EXPECT_EQ(codes(said), "220 250 250 250 550 250 354 250 250 221");
  EXPECT_NE(said.find("250-PIPELINING\r\n"), std::string::npos);
  EXPECT_NE(said.find("550 5.1.1 "), std::string::npos);
  EXPECT_LT(said.find("<alice@example.org>"), said.find("<bob+tag@example.org>"));
  const auto found = inbox("alice");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].starts_with(
      "Return-Path: <s@example.net>\r\nDelivered-To: alice@example.org\r\n"
      "Received: from mx.example.net (192.0.2.7)\r\n\tby mail.example.org with LMTP id "));
  EXPECT_TRUE(found[0].ends_with(kMessage));
  EXPECT_EQ(found[0].find("bob"), std::string::npos);  // who else got it is nobody's business
  EXPECT_NE(inbox("bob")[0].find("Delivered-To: bob+tag@example.org\r\n"), std::string::npos);
}

TEST_F(LmtpTest, GivesTheSameAnswersHoweverItsInputIsCut) {
  add("alice");
  const std::string wire =
      "LHLO mx\r\nNOOP\r\nMAIL FROM:<s@example.net>\r\nRCPT TO:<alice@example.org>\r\nDATA\r\n"
      "a\r\n..b\r\n.\r\nMAIL FROM:<>\r\nRCPT TO:<alice@example.org>\r\nBDAT 3\r\nxyzBDAT 4 "
      "LAST\r\n\r\n.\nRSET\r\nQUIT\r\n";
  std::string first;
  for (const std::size_t step : {1u, 2u, 3u, 5u, 7u, 11u, 64u, 4096u}) {
    const auto said = codes(talk(wire, step));
    if (first.empty()) first = said;
    EXPECT_EQ(said, first) << step;
  }
  EXPECT_EQ(first, "220 250 250 250 250 354 250 250 250 250 250 250 221");
  const auto found = inbox("alice");
  EXPECT_EQ(found.size(), 16u);  // each was confirmed, so each is a message of its own
}

TEST_F(LmtpTest, ASenderWhoGotNoAnswerAndRepeatsIsRecognised) {
  // The connection breaks after the final dot: the reply cannot be written, the sender tries again.
  add("alice");
  const std::string wire =
      "LHLO mx\r\nMAIL FROM:<s@example.net>\r\nRCPT TO:<alice@example.org>\r\nDATA\r\n" + kMessage + ".\r\n";
  server_ = std::make_unique<Server>(*office_, options_);
  auto [client, server_end] = net::memory_stream_pair(io_.get_executor(), {});
  boost::asio::co_spawn(io_, server_->serve(std::move(server_end)), boost::asio::detached);
  net::run(io_, [&, stream = client.get()]() -> net::Task<void> {
    EXPECT_TRUE(co_await stream->write(as_bytes(wire)));
    net::LineReader reader(*stream);
    std::string line;
    while (!line.starts_with("354")) line = (co_await reader.line(1000)).value();
    stream->close();
  }());
  client.reset();
  io_.restart();
  io_.run();  // the server's side ends
  // With the connection gone that early the server may not have seen the message. If it has, it is there
  // once.
  EXPECT_LE(office_->spool().figures().value().deliveries, 1u);
  io_.restart();
  EXPECT_EQ(codes(talk(wire + "QUIT\r\n")), "220 250 250 250 354 250 221");
  EXPECT_EQ(inbox("alice").size(), 1u);
}

TEST_F(LmtpTest, AsksToComeAgainForAnImportedUserWhoHasNotSignedInYet) {
  // There is no key to seal to, and the sender's queue is the better place to wait than a bounce.
  add("alice");
  const auto record = passwords::make_bcrypt(as_bytes("from elsewhere"), 4).value();
  ASSERT_TRUE(office_->credentials().import_users({{.address = "eski@example.org",
                                                    .display_name = "",
                                                    .record = passwords::to_text(record),
                                                    .with_mailbox = true}}));
  const std::string wire =
      "LHLO x\r\nMAIL FROM:<s@example.net>\r\nRCPT TO:<eski@example.org>\r\nRCPT TO:<alice@example.org>\r\n"
      "DATA\r\n" +
      kMessage + ".\r\nQUIT\r\n";
  const auto said = talk(wire);
  EXPECT_EQ(codes(said), "220 250 250 450 250 354 250 221");
  EXPECT_NE(said.find("450 4.2.1 "), std::string::npos);
  ASSERT_TRUE(office_->sign_in_blocking("eski@example.org", as_bytes("from elsewhere"), "192.0.2.1"));
  EXPECT_EQ(codes(talk(wire)), "220 250 250 250 250 354 250 250 221");
}

TEST_F(LmtpTest, WantsItsCommandsInOrder) {
  add("alice");
  EXPECT_EQ(
      codes(talk(
          "MAIL FROM:<a@b>\r\nEHLO x\r\nLHLO\r\nLHLO x\r\nRCPT TO:<alice@example.org>\r\nDATA\r\n"
          "MAIL FROM:<a@b>\r\nMAIL FROM:<a@b>\r\nDATA\r\nRSET\r\nRCPT TO:<alice@example.org>\r\nVRFY x\r\n"
          "HELP\r\nFOO\r\nSTARTTLS\r\nQUIT\r\n")),
      "220 503 500 501 250 503 503 250 503 503 250 503 252 214 500 500 221");
}

TEST_F(LmtpTest, RefusesWhatIsTooLargeAndGoesOn) {
  add("alice");
  const std::string start = "MAIL FROM:<s@example.net>\r\nRCPT TO:<alice@example.org>\r\nDATA\r\n";
  const auto said = talk("LHLO x\r\nMAIL FROM:<a@b> SIZE=10001\r\n" + start + std::string(20'000, 'x') +
                         "\r\n.\r\n" + start + kMessage + ".\r\nQUIT\r\n");
  EXPECT_EQ(codes(said), "220 250 552 250 250 354 552 250 250 354 250 221");
  EXPECT_EQ(inbox("alice").size(), 1u);
}

TEST_F(LmtpTest, BoundsRecipientsAndSaysTryTheRestAgain) {
  add("alice");
  std::string wire = "LHLO x\r\nMAIL FROM:<a@b>\r\n";
  for (int i = 0; i < 5; ++i) wire += "RCPT TO:<alice+" + std::to_string(i) + "@example.org>\r\n";
  EXPECT_EQ(codes(talk(wire + "QUIT\r\n")), "220 250 250 250 250 250 452 452 221");
}

TEST_F(LmtpTest, AFullMailboxIsToldToThatRecipientAlone) {
  add("alice", 500);
  add("bob");
  const std::string start =
      "MAIL FROM:<s@example.net>\r\nRCPT TO:<alice@example.org>\r\nRCPT TO:<bob@example.org>\r\nDATA\r\n";
  const auto said = talk("LHLO x\r\nMAIL FROM:<a@b> SIZE=600\r\nRCPT TO:<alice@example.org>\r\nRSET\r\n" +
                         start + std::string(600, 'x') + "\r\n.\r\nQUIT\r\n");
  EXPECT_EQ(codes(said), "220 250 250 452 250 250 250 250 354 452 250 221");
  EXPECT_EQ(inbox("bob").size(), 1u);
  EXPECT_TRUE(inbox("alice").empty());
}

TEST_F(LmtpTest, AMessageCannotSmuggleInAnother) {
  add("alice");
  const auto said = talk(
      "LHLO x\r\nMAIL FROM:<s@example.net>\r\nRCPT TO:<alice@example.org>\r\nDATA\r\n"
      "one\n.\nMAIL FROM:<eve@example.net>\n.\r\nRCPT TO:<alice@example.org>\r\n.\r\nQUIT\r\n");
  EXPECT_EQ(codes(said), "220 250 250 250 354 250 221");
  EXPECT_EQ(inbox("alice").size(), 1u);
}

TEST_F(LmtpTest, HangsUpOnGarbage) {
  std::string wire = "LHLO x\r\n";
  for (int i = 0; i < 100; ++i) wire += "\x16\x03\x01 what\r\n";
  const auto said = talk(wire);
  EXPECT_TRUE(codes(said).ends_with(" 500 421")) << codes(said);
  EXPECT_EQ(codes(talk("LHLO " + std::string(100'000, 'x') + "\r\nQUIT\r\n")), "220 500 221");
}

TEST_F(LmtpTest, LongSilenceEndsTheConnectionWithAWord) {
  options_.command_timeout = Millis(20);
  EXPECT_EQ(codes(talk("LHLO x\r\n")), "220 250 421");
}

TEST_F(LmtpTest, AtShutdownWhoWaitsIsToldAndGoes) {
  server_ = std::make_unique<Server>(*office_, options_);
  auto [client, server_end] = net::memory_stream_pair(io_.get_executor(), {});
  boost::asio::co_spawn(io_, server_->serve(std::move(server_end)), boost::asio::detached);
  net::run(io_, [&, stream = client.get()]() -> net::Task<void> {
    net::LineReader reader(*stream);
    EXPECT_TRUE((co_await reader.line(100)).value().starts_with("220 "));
    server_->shutdown();
    EXPECT_TRUE((co_await reader.line(100)).value().starts_with("421 4.3.2 "));
    EXPECT_EQ((co_await reader.line(100)).error().code, Code::closed);
  }());
  EXPECT_EQ(codes(talk("")), "220 421");  // and so is who comes later
}

TEST_F(LmtpTest, MessagesOnTheirWayShareABoundedMemory) {
  // Bug: every connection could have a message of the largest size in memory.
  add("alice");
  options_.max_message = 4 << 20;
  options_.body_memory = 1 << 20;
  const std::string start = "LHLO x\r\nMAIL FROM:<s@example.net>\r\nRCPT TO:<alice@example.org>\r\n";
  server_ = std::make_unique<Server>(*office_, options_);
  auto [client, server_end] = net::memory_stream_pair(io_.get_executor(), {});
  boost::asio::co_spawn(io_, server_->serve(std::move(server_end)), boost::asio::detached);
  net::run(io_, [&, stream = client.get()]() -> net::Task<void> {
    EXPECT_TRUE(co_await stream->write(as_bytes(start + "BDAT 2000000\r\n")));
    net::LineReader reader(*stream);
    std::string line;
    // Bug: this reply was kept back until the octets of the chunk had come.
    while (!line.starts_with("250 2.1.5")) line = (co_await reader.line(1000)).value();
  }());
  EXPECT_EQ(codes(talk(start + "DATA\r\n" + kMessage + ".\r\nNOOP\r\nQUIT\r\n")),
            "220 250 250 250 354 452 250 221");
  EXPECT_EQ(codes(talk(start + "BDAT 5\r\nabcdeBDAT 0 LAST\r\nQUIT\r\n")), "220 250 250 250 452 452 221");
  client->close();
  EXPECT_EQ(codes(talk(start + "DATA\r\n" + std::string(3'000'000, 'x') + "\r\n.\r\nQUIT\r\n")),
            "220 250 250 250 354 250 221")
      << "alone, one always gets in";
  EXPECT_EQ(inbox("alice").size(), 1u);
}

TEST_F(LmtpTest, TakesPostmasterWithoutADomain) {
  add("root", 0, true);
  EXPECT_EQ(
      codes(talk("LHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<postmaster>\r\nDATA\r\n" + kMessage + ".\r\nQUIT\r\n")),
      "220 250 250 250 354 250 221");
  EXPECT_EQ(inbox("root").size(), 1u);
}

}  // namespace
}  // namespace muhur::lmtp

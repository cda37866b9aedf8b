// BDAT (RFC 3030): chunks by count, with no dots and no end but LAST.

#include "lmtp_client.hpp"

namespace muhur::lmtp {
namespace {

using ChunkingTest = LmtpTest;

std::string begin(const std::string& to = "alice@example.org") {
  return "LHLO x\r\nMAIL FROM:<s@example.net>\r\nRCPT TO:<" + to + ">\r\n";
}

TEST_F(ChunkingTest, JoinsChunksAndAnswersLastOncePerRecipient) {
  add("alice");
  add("bob");
  const auto said = talk(
      "LHLO x\r\nMAIL FROM:<s@example.net>\r\nRCPT TO:<alice@example.org>\r\nRCPT TO:<bob@example.org>\r\n"
      "BDAT 5\r\n\r\n.\r\nBDAT 0\r\nBDAT 3 LAST\r\n..\nQUIT\r\n");
  EXPECT_EQ(codes(said), "220 250 250 250 250 250 250 250 250 221");
  EXPECT_TRUE(inbox("alice")[0].ends_with("\r\n\r\n.\r\n..\r\n"));
}

TEST_F(ChunkingTest, SwallowsAChunkThatNobodyWants) {
  EXPECT_EQ(codes(talk("LHLO x\r\nBDAT 6\r\nQUIT\r\nBDAT 6 LAST\r\nNOOP\r\nNOOP\r\nQUIT\r\n")),
            "220 250 503 503 250 221");
}

TEST_F(ChunkingTest, RefusesChunksThatGrowTooLarge) {
  add("alice");
  const std::string half(6'000, 'h');
  EXPECT_EQ(codes(talk(begin() + "BDAT 6000\r\n" + half + "BDAT 6000\r\n" + half + "BDAT 6000 LAST\r\n" +
                       half + "MAIL FROM:<>\r\nQUIT\r\n")),
            "220 250 250 250 250 552 552 250 221");
  EXPECT_TRUE(inbox("alice").empty());
}

TEST_F(ChunkingTest, MixesNotWithData) {
  add("alice");
  EXPECT_EQ(codes(talk(begin() + "BDAT 1\r\nxDATA\r\nRCPT TO:<alice@example.org>\r\nRSET\r\nQUIT\r\n")),
            "220 250 250 250 250 503 503 250 221");
}

TEST_F(ChunkingTest, HangsUpWhenTheCountCannotBeRead) {
  // Where the next command begins is unknown then; guessing would take message text for commands.
  add("alice");
  EXPECT_EQ(codes(talk(begin() + "BDAT ten LAST\r\nMAIL FROM:<>\r\n")), "220 250 250 250 501");
}

}  // namespace
}  // namespace muhur::lmtp

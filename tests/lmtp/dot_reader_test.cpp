#include "lmtp/dot_reader.hpp"

#include <gtest/gtest.h>

namespace muhur::lmtp {
namespace {

struct Read {
  std::string body;
  std::size_t used;
  bool done;
};
Read read(std::string_view wire, std::size_t step, std::uint64_t max = 1'000'000) {
  DotReader dots(max);
  std::size_t at = 0;
  while (at < wire.size() && !dots.done()) {
    const auto piece = wire.substr(at, step);
    const auto used = dots.feed(piece);
    at += used;
    if (used < piece.size() && !dots.done()) break;
  }
  return {dots.take(), at, dots.done()};
}

TEST(DotReaderTest, FindsTheEndAndTakesDoubledDotsAwayHoweverItIsCut) {
  const std::string wire = "a\r\n..b\r\n...\r\n.c\r\n\r\n.\r\nQUIT\r\n";
  for (std::size_t step = 1; step <= wire.size(); ++step) {
    const auto got = read(wire, step);
    EXPECT_TRUE(got.done);
    EXPECT_EQ(got.body, "a\r\n.b\r\n..\r\nc\r\n\r\n") << step;
    EXPECT_EQ(wire.substr(got.used), "QUIT\r\n") << step;
  }
}

TEST(DotReaderTest, AnEmptyMessageEndsAtOnce) {
  EXPECT_EQ(read(".\r\n", 1).body, "");
  EXPECT_TRUE(read(".\r\n", 1).done);
}

TEST(DotReaderTest, BareLineBreaksAndDotsNeverEndTheData) {
  // Servers that took one of these for the end let a message smuggle in another (SMTP smuggling,
  // Dovecot CVE-2026-33604).
  for (const char* trick : {"\n.\n", "\n.\r\n", "\r.\r", "\r\n.\n", "\r\n.\r", "\r.\r\n", "\r\n.\r\r\n",
                            "\n.\r", "\r\r\n.\n", "\n\n.\n\n", "\r\n.x\r\n", "\r\n.\0\r\n"}) {
    const std::string wire = std::string("text") + trick + "MAIL FROM:<eve@example.net>\r\n.\r\n";
    for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{3}, wire.size()}) {
      const auto got = read(wire, step);
      EXPECT_TRUE(got.done) << trick;
      EXPECT_EQ(got.used, wire.size()) << trick << " at step " << step;
      EXPECT_NE(got.body.find("MAIL FROM"), std::string::npos);
    }
  }
}

TEST(DotReaderTest, KeepsBareLineBreaksAsTheyAre) {
  EXPECT_EQ(read("a\nb\rc\r\r\nd\r\n.\re\r\n.\r\n", 1).body, "a\nb\rc\r\r\nd\r\n\re\r\n");
}

TEST(DotReaderTest, SwallowsWhatIsTooLargeUpToItsEnd) {
  DotReader dots(10);
  const std::string wire = "0123456789\r\n" + std::string(100'000, 'x') + "\r\n.\r\nNOOP";
  const auto used = dots.feed(wire);
  EXPECT_TRUE(dots.done());
  EXPECT_TRUE(dots.too_large());
  EXPECT_EQ(wire.substr(used), "NOOP");
  EXPECT_TRUE(dots.take().empty());
}

TEST(DotReaderTest, SaysNotDoneWithoutAnEnd) {
  for (const char* wire : {"", "a", "a\r\n", "a\r\n.", "a\r\n.\r"}) EXPECT_FALSE(read(wire, 1).done) << wire;
}

}  // namespace
}  // namespace muhur::lmtp

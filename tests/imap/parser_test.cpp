#include "imap/parser.hpp"

#include <gtest/gtest.h>

namespace muhur::imap {
namespace {

TEST(Parser, ReadsAtomsStringsAndLiterals) {
  Parser in("tag1 \"a \\\"b\\\\\" {3+}\r\nx\r\n nil");
  EXPECT_EQ(in.tag(), "tag1");
  EXPECT_TRUE(in.space());
  EXPECT_EQ(in.astring(), "a \"b\\");
  EXPECT_TRUE(in.space());
  EXPECT_EQ(in.astring(), "x\r\n");
  EXPECT_TRUE(in.space());
  EXPECT_EQ(in.nstring(), std::optional<std::optional<std::string>>(std::optional<std::string>()));
  EXPECT_TRUE(in.at_end());
}

TEST(Parser, RefusesWhatIsNoString) {
  for (const char* text : {"\"open", "\"bad \\x\"", "\"line\nbreak\"", "{5}\r\nabc", "{x}\r\n", "(", ""})
    EXPECT_FALSE(Parser(text).astring()) << text;
}

TEST(Parser, MatchesWholeWordsOnly) {
  Parser in("NILx");
  EXPECT_FALSE(in.word("NIL"));
  EXPECT_TRUE(in.word("nilX"));
}

TEST(Parser, ReadsNumbersWithinTheirRange) {
  EXPECT_EQ(Parser("4294967295").number(), 4294967295u);
  EXPECT_FALSE(Parser("4294967296").number());
  EXPECT_EQ(Parser("4294967296 ").number64(), 4294967296u);
  EXPECT_FALSE(Parser("99999999999999999999").number64());
  EXPECT_FALSE(Parser("-1").number64());
}

TEST(Parser, ReadsFlags) {
  EXPECT_EQ(Parser("\\Seen)").flag(), "\\Seen");
  EXPECT_EQ(Parser("$Forwarded x").flag(), "$Forwarded");
  EXPECT_FALSE(Parser("\\").flag());
}

}  // namespace
}  // namespace muhur::imap

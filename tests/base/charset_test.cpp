#include <gtest/gtest.h>

#include <thread>

#include "base/unicode.hpp"

namespace muhur {
namespace {

TEST(Charset, ReadsWhatMailIsWrittenIn) {
  const struct {
    std::string_view charset, bytes, text;
  } cases[] = {
      {"utf-8", "\xC3\xBC", "ü"},
      {"iso-8859-9", "\xFD\xFE\xF0", "ışğ"},
      {"windows-1254", "\xFD\xFE\xF0", "ışğ"},
      {"iso-8859-1", "\x93quoted\x94", "“quoted”"},
      {"koi8-r", "\xF0\xD2\xC9", "При"},
      {"windows-1251", "\xCF\xF0\xE8", "При"},
      {"shift_jis", "\x93\xFA\x96\x7B", "日本"},
      {"cp932", "\x93\xFA\x87\x40", "日①"},
      {"iso-2022-jp", "\x1B$BF|K\\\x1B(B!", "日本!"},
      {"euc-jp", "\xC6\xFC\xCB\xDC", "日本"},
      {"gb2312", "\xD6\xD0\xB9\xFA", "中国"},
      {"gb18030", "\xD6\xD0\xB9\xFA", "中国"},
      {"big5", "\xA4\xA4\xB0\xEA", "中國"},
      {"euc-kr", "\xC7\xD1\xB1\xDB", "한글"},
      {"ks_c_5601-1987", "\xC7\xD1\x98\x41", "한쁀"},
      {"utf-16be", std::string_view("\x00\xE9\xD8\x3D\xDE\x00", 6), "é😀"},
      {"utf-7", "Hi Mom -+Jjo--!", "Hi Mom -☺-!"},
      {"us-ascii", "plain", "plain"},
  };
  for (const auto& c : cases) {
    const auto text = from_charset(c.bytes, c.charset);
    ASSERT_TRUE(text) << c.charset;
    EXPECT_EQ(*text, c.text) << c.charset;
    EXPECT_TRUE(knows_charset(c.charset)) << c.charset;
  }
}

TEST(Charset, TakesNamesAsMailHasThem) {
  EXPECT_EQ(from_charset("\xFD", "\"ISO-8859-9\""), "ı");
  EXPECT_EQ(from_charset("\xFD", " Iso-8859-9 "), "ı");
  EXPECT_EQ(from_charset("\xFD", "iso-8859-9*tr"), "ı");
  EXPECT_EQ(from_charset("\xFD", "'windows-1254';"), "ı");
  EXPECT_EQ(from_charset("\x93\xFA", "x-sjis"), "日");
}

TEST(Charset, AnUnnamedOneIsUtf8IfItCanBe) {
  EXPECT_EQ(from_charset("\xC3\xBC", "x-unknown"), "ü");
  EXPECT_EQ(from_charset("\xFC", "x-unknown"), "ü");
  EXPECT_EQ(from_charset("\xFC", ""), "ü");
}

TEST(Charset, BytesThatDoNotFitBecomeReplacements) {
  EXPECT_EQ(from_charset("a\xFFz", "utf-8"), "a\uFFFDz");
  EXPECT_EQ(from_charset("a\xFF", "us-ascii"), "a\uFFFD");
  const auto cut = from_charset("\xD6", "gb18030");
  ASSERT_TRUE(cut);
  EXPECT_EQ(*cut, "\uFFFD");
  // ICU's own choice for a single byte of some charsets is U+001A, which no reader shows.
  EXPECT_EQ(from_charset("\x81", "windows-1253").value_or("").find('\x1A'), std::string::npos);
}

TEST(Charset, NobodyKnowsTheseNames) {
  for (const std::string_view name : {"martian-8", "../../etc/passwd", "utf-8,version=1", "a b", "x-"})
    EXPECT_FALSE(from_charset("x", name)) << name;
  EXPECT_FALSE(knows_charset(std::string(1000, 'a')));
}

TEST(Charset, ALongTextCrossesTheBuffersWhole) {
  std::string bytes;
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    bytes += "\x94\x39\xFC\x36";  // GB 18030: U+1F600
    text += "😀";
    bytes += "a";
    text += "a";
  }
  EXPECT_EQ(from_charset(bytes, "gb18030"), text);
}

TEST(Charset, StateOfOneTextDoesNotLeakIntoTheNext) {
  EXPECT_TRUE(from_charset("\x1B$BF|", "iso-2022-jp"));
  EXPECT_EQ(from_charset("F|", "iso-2022-jp"), "F|");
}

TEST(Charset, ThreadsHaveConvertersOfTheirOwn) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&wrong] {
      for (int i = 0; i < 500; ++i) {
        if (from_charset("\xFD", "iso-8859-9") != "ı") ++wrong;
        if (from_charset("\x93\xFA", "shift_jis") != "日") ++wrong;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace muhur

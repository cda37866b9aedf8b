#include "mime/encoded_word.hpp"

#include <gtest/gtest.h>

#include <random>

namespace muhur::mime {
namespace {

TEST(EncodedWords, AreDecoded) {
  EXPECT_EQ(decode_words("=?utf-8?B?TWVyaGFiYQ==?="), "Merhaba");
  EXPECT_EQ(decode_words("=?ISO-8859-9?q?=DDyi_g=FCnler?= all"), "\xC4\xB0yi g\xC3\xBCnler all");
  EXPECT_EQ(decode_words("a =?utf-8*tr?q?b?= c"), "a b c");
  EXPECT_EQ(decode_words("=?utf-8?q?two words?="), "two words");
}

TEST(EncodedWords, LoseTheWhiteSpaceBetweenThem) {
  EXPECT_EQ(decode_words("=?utf-8?q?a?= \r\n\t=?utf-8?q?b?= =?iso-8859-1?q?=E9?= c"), "ab\xC3\xA9 c");
}

TEST(EncodedWords, AreJoinedBeforeTheCharsetIsDecoded) {
  EXPECT_EQ(decode_words("=?utf-8?q?=C4?= =?UTF-8?q?=B0?="), "\xC4\xB0");
}

TEST(EncodedWords, StayWhenTheyAreMalformed) {
  for (const char* text : {"=?",
                           "=?"
                           "?=",
                           "=?utf-8?=", "=?utf-8?x?a?=", "=?utf-8?q?a", "=?utf-8?q?a?", "=?utf-8?qq?a?=",
                           "=?"
                           "?q?a?=",
                           "=?a b?q?c?=", "=?no-such-charset?q?=FF?="})
    EXPECT_EQ(decode_words(text), text);
}

// A word of an unknown charset with raw octets in it was passed on as it was written, which is no UTF-8.
TEST(EncodedWords, AreRepairedWhereTheyStay) {
  EXPECT_EQ(decode_words("=?no-such-charset?q?\xFF=FF?="), "=?no-such-charset?q?\xEF\xBF\xBD=FF?=");
}

TEST(EncodedWords, OfAnUnknownCharsetAreReadAsUtf8WhereTheyCanBe) {
  EXPECT_EQ(decode_words("=?no-such-charset?q?=C4=B0?="), "\xC4\xB0");
}

TEST(EncodedWords, CannotBeginALine) { EXPECT_EQ(decode_words("=?utf-8?q?a=0D=0AX:_y=00?="), "a  X: y "); }

TEST(EncodedWords, LeaveRawOctetsRepaired) {
  EXPECT_EQ(decode_words("\xC3\xBC \xFC"), "\xC3\xBC \xEF\xBF\xBD");
}

TEST(EncodedWords, AreDecodedInLinearTime) {
  std::string opened, words;
  for (int i = 0; i < 200'000; ++i) opened += "=?utf-8?q?";
  for (int i = 0; i < 100'000; ++i) words += "=?utf-8?q?a?= ";
  EXPECT_EQ(decode_words(opened), opened);
  EXPECT_EQ(decode_words(words).size(), 100'000u);
}

TEST(EncodeWords, LeavesAsciiAlone) {
  EXPECT_EQ(encode_words("Plain text, as it is."), "Plain text, as it is.");
  EXPECT_EQ(encode_words(""), "");
}

TEST(EncodeWords, EncodesOnlyWhatNeedsIt) {
  EXPECT_EQ(encode_words("Re: d\xC3\xBCnya now"), "Re: =?UTF-8?B?ZMO8bnlh?= now");
  EXPECT_EQ(encode_words("mostly-plain-\xC3\xBC"), "=?UTF-8?Q?mostly-plain-=C3=BC?=");
  EXPECT_EQ(encode_words("=?x"), "=?UTF-8?B?PT94?=");
}

TEST(EncodeWords, IsUndoneByDecoding) {
  std::mt19937 random(3);
  constexpr std::string_view kPieces[] = {
      "a", "Z", " ", "  ", "\xC4\xB0", "\xE2\x82\xAC", "\xF0\x9F\x93\xAC", "=?", "?=", "_", "=", "word"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "x";
    for (auto count = random() % 60; count > 0; --count) text += kPieces[random() % std::size(kPieces)];
    text += "x";
    const std::string encoded = encode_words(text);
    ASSERT_EQ(decode_words(encoded), text) << encoded;
    for (std::size_t at = 0; (at = encoded.find("=?UTF-8?", at)) != std::string::npos; ++at)
      ASSERT_LE(encoded.find("?=", at + 10) + 2 - at, 75u) << encoded;
  }
}

}  // namespace
}  // namespace muhur::mime

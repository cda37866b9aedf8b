#include "base/unicode.hpp"

#include <gtest/gtest.h>

namespace muhur {
namespace {

TEST(Unicode, WellFormedMeansShortestFormWithoutSurrogates) {
  for (const std::string_view good : {"", "abc", "ğüşiöç", "\xF4\x8F\xBF\xBF", "\xEF\xBF\xBF", "12345678é"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const std::string_view bad :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\x80", "abc\xC3", "\xE2\x82", "\xFF", "12345678\x80"})
    EXPECT_FALSE(is_utf8(bad)) << bad;
}

TEST(Unicode, RepairReplacesEachIllFormedSequenceAndKeepsTheRest) {
  EXPECT_EQ(to_valid_utf8("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(to_valid_utf8("\xE2\x82"), "\uFFFD");
  EXPECT_EQ(to_valid_utf8("\xE2\x82"
                          "a\xC3\xA9"),
            "\uFFFDaé");
  EXPECT_EQ(to_valid_utf8("plain"), "plain");
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const std::string pair = {static_cast<char>(first), static_cast<char>(second)};
      EXPECT_TRUE(is_utf8(to_valid_utf8(pair)));
      if (is_utf8(pair)) {
        EXPECT_EQ(to_valid_utf8(pair), pair);
      }
    }
}

TEST(Unicode, NfcComposes) {
  EXPECT_EQ(to_nfc("e\u0301"), "é");
  EXPECT_EQ(to_nfc("\u1100\u1161"), "가");
  EXPECT_EQ(to_nfc("ascii"), "ascii");
  EXPECT_FALSE(to_nfc("\xFF"));
  EXPECT_TRUE(is_nfc("é"));
  EXPECT_FALSE(is_nfc("e\u0301"));
  EXPECT_FALSE(is_nfc("\xFF"));
}

TEST(Unicode, FoldingMakesSearchBlindToCaseAndForm) {
  EXPECT_EQ(fold_case("STRASSE"), fold_case("straße"));
  EXPECT_EQ(fold_case("ÇAĞRI"), fold_case("çağrI"));
  EXPECT_EQ(fold_case("ﬁle"), "file");
  EXPECT_EQ(fold_case("ＡＢＣ"), "abc");
  EXPECT_EQ(fold_case("E\u0301"), "é");
  EXPECT_EQ(fold_case("A\xFF"), "a\uFFFD");
  EXPECT_EQ(fold_case("İ"), "i\u0307");
}

TEST(Unicode, AsciiHelpersLeaveOtherBytesAlone) {
  EXPECT_EQ(to_lower_ascii("AZ[É"), "az[É");
  EXPECT_EQ(to_upper_ascii("az{é"), "AZ{é");
  EXPECT_TRUE(equals_ignoring_case("Content-TYPE", "content-type"));
  EXPECT_FALSE(equals_ignoring_case("É", "é"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
  EXPECT_TRUE(starts_with_ignoring_case("UID FETCH", "uid "));
  EXPECT_FALSE(starts_with_ignoring_case("UI", "uid"));
}

}  // namespace
}  // namespace muhur

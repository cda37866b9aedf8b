#include "imap/bearer_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "imap/limits.hpp"

namespace muhur::imap {
namespace {

using namespace std::string_literals;

std::optional<BearerMessage> oauthbearer(std::string_view text) {
  return parse_bearer_message(BearerForm::oauthbearer, text);
}
std::optional<BearerMessage> xoauth2(std::string_view text) {
  return parse_bearer_message(BearerForm::xoauth2, text);
}

TEST(BearerMessage, ReadsTheExamplesOfBothDocuments) {
  // RFC 7628 §4.1.
  const auto rfc = oauthbearer(
      "n,a=user@example.com,\1host=server.example.com\1port=143\1"
      "auth=Bearer vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==\1\1");
  ASSERT_TRUE(rfc);
  EXPECT_EQ(rfc->name, "user@example.com");
  EXPECT_EQ(rfc->token.text(), "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==");

  const auto google =
      xoauth2("user=someuser@example.com\1auth=Bearer ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg\1\1");
  ASSERT_TRUE(google);
  EXPECT_EQ(google->name, "someuser@example.com");
  EXPECT_EQ(google->token.text(), "ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg");
}

TEST(BearerMessage, TakesEachNameAsItIsEscaped) {
  EXPECT_EQ(oauthbearer("n,,\1auth=Bearer t\1\1")->name, "");
  EXPECT_EQ(oauthbearer("n,a=a=2Cb=3Dc@example.org,\1auth=bearer t\1\1")->name, "a,b=c@example.org");
  EXPECT_EQ(xoauth2("auth=Bearer t\1user=a=2Cb\1\1")->name, "a=2Cb");
  for (const auto* name : {"a", "a=", "b=x", "a=x,y", "a=x=2c", "a=x=", "a=x=41", ",a=x"})
    EXPECT_FALSE(oauthbearer("n,"s + name + ",\1auth=Bearer t\1\1")) << name;
}

TEST(BearerMessage, HasNoChannelBinding) {
  for (const auto* flag : {"p=tls-unique", "p=tls-exporter", "y", "F,n", "", "N", "nn"})
    EXPECT_FALSE(oauthbearer(std::string(flag) + ",a=alice@example.org,\1auth=Bearer t\1\1")) << flag;
}

TEST(BearerMessage, CutAtAnyOctetOrLongerIsNone) {
  const std::string whole = "n,a=alice@example.org,\1host=h\1port=143\1auth=Bearer abc\1\1";
  const std::string other = "user=alice@example.org\1auth=Bearer abc\1\1";
  ASSERT_TRUE(oauthbearer(whole));
  ASSERT_TRUE(xoauth2(other));
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_FALSE(oauthbearer(whole.substr(0, i))) << i;
  for (std::size_t i = 0; i < other.size(); ++i) EXPECT_FALSE(xoauth2(other.substr(0, i))) << i;
  for (const char more : {'\1', 'x', '\0', '\n'}) {
    EXPECT_FALSE(oauthbearer(whole + more));
    EXPECT_FALSE(xoauth2(other + more));
  }
  EXPECT_FALSE(oauthbearer(other));
  EXPECT_FALSE(xoauth2(whole));
}

TEST(BearerMessage, AnyOctetChangedIsRefusedOrReadAndNeverLeadsAstray) {
  const std::string whole = "n,a=alice@example.org,\1host=h\1auth=Bearer abc\1\1";
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int octet = 0; octet < 256; ++octet) {
      std::string changed = whole;
      changed[i] = static_cast<char>(octet);
      const auto read = oauthbearer(changed);
      if (!read) continue;
      EXPECT_LE(read->token.size(), whole.size());
      EXPECT_FALSE(read->token.text().contains('\1'));
      EXPECT_FALSE(read->name.contains('\1') || read->name.contains('\0'));
    }
  }
}

TEST(BearerMessage, SaysEachThingOnce) {
  EXPECT_FALSE(oauthbearer("n,,\1auth=Bearer a\1auth=Bearer b\1\1"));
  EXPECT_FALSE(xoauth2("user=a\1user=b\1auth=Bearer t\1\1"));
  EXPECT_FALSE(xoauth2("auth=Bearer t\1\1"));
  EXPECT_FALSE(xoauth2("user=a\1\1"));
  EXPECT_FALSE(oauthbearer("n,,\1\1"));
  EXPECT_FALSE(oauthbearer("n,,\1=x\1auth=Bearer t\1\1"));
  EXPECT_FALSE(oauthbearer("n,,\1h1=x\1auth=Bearer t\1\1"));
}

TEST(BearerMessage, WhatCanBeNoTokenIsAnEmptyOne) {
  // A client without a token asks so where it gets one (RFC 7628 §4.3).
  for (const auto* auth : {"", "Bearer ", "Bearer", "Basic YTpi", "Bearer a b", "Bearer =", "Bearer a=b",
                           "Bearer \"a\"", "Bearer \xc3\xa9"}) {
    const auto read = oauthbearer("n,,\1auth="s + auth + "\1\1");
    ASSERT_TRUE(read) << auth;
    EXPECT_TRUE(read->token.empty()) << auth;
  }
  EXPECT_EQ(oauthbearer("n,,\1auth=Bearer " + std::string(kMaxToken, 'a') + "\1\1")->token.size(), kMaxToken);
  EXPECT_TRUE(oauthbearer("n,,\1auth=Bearer " + std::string(kMaxToken + 1, 'a') + "\1\1")->token.empty());
}

}  // namespace
}  // namespace muhur::imap

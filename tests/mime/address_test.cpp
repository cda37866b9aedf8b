#include "mime/address.hpp"

#include <gtest/gtest.h>

namespace muhur::mime {
namespace {

// "name|route|mailbox|host", '-' for what is missing.
std::string shown(std::string_view value, std::size_t max = 5'000) {
  const auto text = [](const std::optional<std::string>& part) { return part.value_or("-"); };
  std::string out;
  for (const Address& a : parse_addresses(value, max))
    out += fmt::format("{}{}|{}|{}|{}", out.empty() ? "" : " , ", text(a.name), text(a.route),
                       text(a.mailbox), text(a.host));
  return out;
}

TEST(Addresses, ReadPlainOnes) {
  EXPECT_EQ(shown("a@b"), "-|-|a|b");
  EXPECT_EQ(shown(" a@b , c.d@e.f "), "-|-|a|b , -|-|c.d|e.f");
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown(" (only a comment) "), "");
}

TEST(Addresses, ReadNames) {
  EXPECT_EQ(shown("Ann Other <a@b>"), "Ann Other|-|a|b");
  EXPECT_EQ(shown("\"Other, Ann \\\"x\\\"\" <a@b>"), "Other, Ann \"x\"|-|a|b");
  EXPECT_EQ(shown("J. R. <a@b>"), "J. R.|-|a|b");
  EXPECT_EQ(shown("=?utf-8?q?=C3=BC?= <a@b>"), "=?utf-8?q?=C3=BC?=|-|a|b");
  EXPECT_EQ(shown("a@b (Comment (nested) Name)"), "Comment (nested) Name|-|a|b");
  EXPECT_EQ(shown("folded\r\n name <a@b>"), "folded name|-|a|b");
}

TEST(Addresses, ReadGroups) {
  EXPECT_EQ(shown("g: a@b, c@d;, e@f"), "-|-|g|- , -|-|a|b , -|-|c|d , -|-|-|- , -|-|e|f");
  EXPECT_EQ(shown("undisclosed-recipients:;"), "-|-|undisclosed-recipients|- , -|-|-|-");
  EXPECT_EQ(shown("g: a@b"), "-|-|g|- , -|-|a|b , -|-|-|-");
}

TEST(Addresses, ReadRoutesLiteralsAndQuotedLocalParts) {
  EXPECT_EQ(shown("<@r1,@r2:a@b>"), "-|@r1,@r2|a|b");
  EXPECT_EQ(shown("a@[1.2.3.4]"), "-|-|a|[1.2.3.4]");
  EXPECT_EQ(shown("\"a b\"@c"), "-|-|a b|c");
  EXPECT_EQ(shown("a..b.@c"), "-|-|a..b.|c");
}

TEST(Addresses, SayWhatIsMissing) {
  EXPECT_EQ(shown("lonely"), "-|-|lonely|MISSING_DOMAIN");
  EXPECT_EQ(shown("two words"), "two words|-|MISSING_MAILBOX|MISSING_DOMAIN");
  EXPECT_EQ(shown("Name <>"), "Name|-|MISSING_MAILBOX|MISSING_DOMAIN");
  EXPECT_EQ(shown("<a@b"), "-|-|a|SYNTAX_ERROR");
  EXPECT_EQ(shown("<@r a@b>"), "-|INVALID_ROUTE|a|b");
}

// An unfinished quote took everything to the end as a name; what stands before the last fold counts.
TEST(Addresses, TakeAnUnfinishedQuoteToTheLastFold) {
  EXPECT_EQ(shown("x \"unfinished <a@b>,\r\n c@d"), "x unfinished <a@b>,|-|MISSING_MAILBOX|MISSING_DOMAIN");
}

TEST(Addresses, StopAtTheirLimitAndEndTheGroupTheyAreIn) {
  EXPECT_EQ(shown("a@b, c@d, e@f", 2), "-|-|a|b , -|-|c|d");
  EXPECT_EQ(shown("g: a@b, c@d, e@f;, h@i", 3), "-|-|g|- , -|-|a|b , -|-|-|-");
  EXPECT_EQ(shown("g: a@b;", 1), "");
  EXPECT_EQ(shown("a@b", 0), "");
}

TEST(Addresses, ReadHostileLengthsInLinearTime) {
  std::string nested(200'000, '('), commas(200'000, ','), quotes(200'001, '"'), words;
  for (int i = 0; i < 100'000; ++i) words += "w ";
  EXPECT_EQ(parse_addresses(nested).size(), 0u);
  EXPECT_EQ(parse_addresses(commas).size(), 5'000u);
  EXPECT_LE(parse_addresses(quotes).size(), 5'000u);
  EXPECT_EQ(parse_addresses(words).size(), 1u);
}

}  // namespace
}  // namespace muhur::mime

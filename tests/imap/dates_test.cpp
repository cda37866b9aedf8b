#include "imap/dates.hpp"

#include <gtest/gtest.h>

namespace muhur::imap {
namespace {

TEST(Dates, KeepTheirZone) {
  // Bug class 31: INTERNALDATE keeps the zone that APPEND gave.
  for (const char* text : {"17-Jul-1996 02:44:25 -0700", " 1-Feb-2024 23:59:59 +0545",
                           "29-Feb-2024 00:00:00 +0000", "31-Dec-1969 23:59:59 -0930"}) {
    const auto date = parse_date_time(text);
    ASSERT_TRUE(date) << text;
    std::string out;
    append_date_time(out, *date);
    EXPECT_EQ(out, "\"" + std::string(text) + "\"");
  }
  EXPECT_EQ(parse_date_time("17-Jul-1996 02:44:25 -0700")->seconds, 837596665);
}

TEST(Dates, RefuseTheImpossible) {
  // Bug class 31: 30 February was stored as something else.
  for (const char* text :
       {"30-Feb-2024 00:00:00 +0000", "29-Feb-2023 00:00:00 +0000", "00-Jan-2024 00:00:00 +0000",
        "01-Foo-2024 00:00:00 +0000", "01-Jan-2024 24:00:00 +0000", "01-Jan-2024 00:60:00 +0000",
        "01-Jan-2024 00:00:00 0000", "01-Jan-2024 00:00:00 +0060", "01-Jan-2024 00:00:00",
        "01-Jan-24 00:00:00 +0000", "", "01-Jan-2024 00:00:00 +00000"})
    EXPECT_FALSE(parse_date_time(text)) << text;
}

TEST(Dates, AreCountedInDays) {
  EXPECT_EQ(parse_day("1-Jan-1970"), 0);
  EXPECT_EQ(parse_day("02-jan-1970"), 1);
  EXPECT_EQ(parse_day("31-Dec-1969"), -1);
  EXPECT_FALSE(parse_day("31-Apr-2024"));
  EXPECT_FALSE(parse_day("1-Jan-1970 x"));
}

}  // namespace
}  // namespace muhur::imap

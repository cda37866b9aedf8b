#include "mime/date.hpp"

#include <gtest/gtest.h>

namespace muhur::mime {
namespace {

// The date in its own zone, or "none".
std::string shown(std::string_view value) {
  const auto date = parse_date(value);
  return date ? format_date(date->seconds, date->zone_minutes) : "none";
}

TEST(Dates, AreReadInTheirStandardForm) {
  EXPECT_EQ(parse_date("Mon, 30 Nov 2026 10:06:14 +0000"), (Date{1796033174, 0}));
  EXPECT_EQ(parse_date("Thu, 1 Jan 1970 00:00:00 +0000"), (Date{0, 0}));
  EXPECT_EQ(parse_date("Mon, 30 Nov 2026 12:06:14 +0200"), (Date{1796033174, 120}));
  EXPECT_EQ(parse_date("Mon, 30 Nov 2026 04:36:14 -0530"), (Date{1796033174, -330}));
}

TEST(Dates, AreReadInObsoleteForms) {
  EXPECT_EQ(shown("30 Nov 26 10:06 GMT"), "Mon, 30 Nov 2026 10:06:00 +0000");
  EXPECT_EQ(shown("30 Nov 99 10:06 EST"), "Tue, 30 Nov 1999 10:06:00 -0500");
  EXPECT_EQ(shown("30 Nov 126 10:06 PDT"), "Mon, 30 Nov 2026 10:06:00 -0700");
  EXPECT_EQ(shown("Mon (day) , 30\r\n Nov (month) 2026 10 : 06 : 14 (time) +0100 (CET)"),
            "Mon, 30 Nov 2026 10:06:14 +0100");
  EXPECT_EQ(shown("Mon, 30 Nov 2026 10:06:14"), "Mon, 30 Nov 2026 10:06:14 +0000");
  EXPECT_EQ(shown("Mon, 30 Nov 2026 10:06:14 A"), "Mon, 30 Nov 2026 10:06:14 +0000");
  EXPECT_EQ(shown("Mon Nov 30 10:06:14 2026"), "Mon, 30 Nov 2026 10:06:14 +0000");
  EXPECT_EQ(shown("Mon Nov 30 10:06:14 EST 2026"), "Mon, 30 Nov 2026 10:06:14 -0500");
  EXPECT_EQ(shown("Mon, 30-Nov-2026 10.06.14 +0000"), "Mon, 30 Nov 2026 10:06:14 +0000");
  EXPECT_EQ(shown("mon, 1 DECEMBER 2026 1:06"), "Tue, 01 Dec 2026 01:06:00 +0000");
}

TEST(Dates, AreRefusedWhenImpossible) {
  for (const char* value :
       {"", "Mon", "30", "30 Nov", "30 Nov 2026", "31 Nov 2026 10:06", "29 Feb 2025 10:06",
        "0 Nov 2026 10:06", "30 Nov 2026 24:00", "30 Nov 2026 10:60", "30 Nov 2026 10:06:61",
        "30 Foo 2026 10:06", "300 Nov 2026 10:06", "30 Nov 20266 10:06", "30 Nov 2026 1006",
        "(unfinished 30 Nov 2026 10:06", "Mon, Mon, 30 Nov 2026 10:06"})
    EXPECT_EQ(shown(value), "none") << value;
}

TEST(Dates, TakeAnImpossibleZoneAsNone) {
  EXPECT_EQ(shown("30 Nov 2026 10:06:14 +9999"), "Mon, 30 Nov 2026 10:06:14 +0000");
  EXPECT_EQ(shown("30 Nov 2026 10:06:14 +1"), "Mon, 30 Nov 2026 10:06:14 +0000");
}

TEST(Dates, AreWrittenSoThatTheyAreReadBack) {
  for (std::int64_t seconds = -2'000'000'000; seconds < 4'000'000'000; seconds += 12'345'679)
    for (const int zone : {-720, -1, 0, 59, 840})
      ASSERT_EQ(parse_date(format_date(seconds, zone)), (Date{seconds, zone})) << seconds << " " << zone;
}

}  // namespace
}  // namespace muhur::mime

#pragma once
// Dates of RFC 5322 §3.3.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muhur::mime {

struct Date {
  std::int64_t seconds;  // since 1970 UTC
  int zone_minutes;      // east of Greenwich, as written
  bool operator==(const Date&) const = default;
};

// Obsolete forms too: two- and three-digit years, named zones, comments, no seconds, no zone (then +0000),
// and ctime's order. nullopt for what is no date, an impossible day or time included. IMAP's SENTBEFORE and
// its like compare the day as written: that of seconds + 60 * zone_minutes.
std::optional<Date> parse_date(std::string_view value);

// "Mon, 30 Nov 2026 10:06:14 +0000". REQUIRES: a year from 0 to 9999, |zone_minutes| < 24 hours.
std::string format_date(std::int64_t seconds, int zone_minutes);

}  // namespace muhur::mime

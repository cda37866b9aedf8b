#pragma once
// IMAP's dates (RFC 3501 §9 date, date-time). An impossible date is no date.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muhur::imap {

struct DateTime {
  std::int64_t seconds;       // since 1970 UTC
  std::int16_t zone_minutes;  // east of UTC
};

// "17-Jul-1996 02:44:25 -0700", without the quotes; the day may be " 7".
std::optional<DateTime> parse_date_time(std::string_view text);
// The same form, with quotes.
void append_date_time(std::string& out, const DateTime& at);
// "1-Feb-1994": days since 1970.
std::optional<std::int64_t> parse_day(std::string_view text);

}  // namespace muhur::imap

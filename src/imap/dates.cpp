#include "imap/dates.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <iterator>

#include "base/unicode.hpp"

namespace muhur::imap {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Exactly `digits` digits at the front.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> take_day(std::string_view& text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto day = take_digits(text, text.size() > 1 && text[1] == '-' ? 1 : 2);
  if (!day || !take(text, '-') || text.size() < 3) return std::nullopt;
  unsigned month = 0;
  for (unsigned i = 0; i < kMonths.size(); ++i)
    if (equals_ignoring_case(text.substr(0, 3), kMonths[i])) month = i + 1;
  text.remove_prefix(3);
  if (!take(text, '-')) return std::nullopt;
  const auto year = take_digits(text, 4);
  if (month == 0 || !year) return std::nullopt;
  const auto date =
      std::chrono::year(*year) / std::chrono::month(month) / std::chrono::day(static_cast<unsigned>(*day));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

}  // namespace

std::optional<DateTime> parse_date_time(std::string_view text) {
  const auto day = take_day(text);
  if (!day || !take(text, ' ')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || !take(text, ' ') || text.empty()) return std::nullopt;
  const char sign = text.front();
  text.remove_prefix(1);
  const auto zone_hour = take_digits(text, 2);
  const auto zone_minute = take_digits(text, 2);
  if ((sign != '+' && sign != '-') || !zone_hour || !zone_minute || !text.empty()) return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 60 || *zone_hour > 23 || *zone_minute > 59) return std::nullopt;

  const int zone = (*zone_hour * 60 + *zone_minute) * (sign == '-' ? -1 : 1);
  const std::int64_t local =
      day->time_since_epoch().count() * 86'400LL + *hour * 3'600 + *minute * 60 + *second;
  return DateTime{local - zone * 60LL, static_cast<std::int16_t>(zone)};
}

void append_date_time(std::string& out, const DateTime& at) {
  using namespace std::chrono;
  const sys_seconds local(seconds(at.seconds + at.zone_minutes * 60LL));
  const sys_days day = floor<days>(local);
  const year_month_day date(day);
  const hh_mm_ss time(local - day);
  const int zone = at.zone_minutes < 0 ? -at.zone_minutes : at.zone_minutes;
  fmt::format_to(std::back_inserter(out), "\"{:2}-{}-{:04} {:02}:{:02}:{:02} {}{:02}{:02}\"",
                 static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                 static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
                 time.seconds().count(), at.zone_minutes < 0 ? '-' : '+', zone / 60, zone % 60);
}

std::optional<std::int64_t> parse_day(std::string_view text) {
  const auto day = take_day(text);
  if (!day || !text.empty()) return std::nullopt;
  return day->time_since_epoch().count();
}

}  // namespace muhur::imap

#include "mime/date.hpp"

#include <chrono>

#include "base/unicode.hpp"
#include "mime/tokens.hpp"

namespace muhur::mime {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words of letters, numbers and marks, with white space and comments passed over.
class DateReader {
 public:
  explicit DateReader(std::string_view value) : lexer_(value) { lexer_.skip_space(); }

  bool done() const { return lexer_.done(); }
  bool at_digit() const { return !done() && is_digit(lexer_.peek()); }
  bool at_letter() const { return !done() && is_letter(lexer_.peek()); }

  // A number of min to max digits. nullopt if there is none; more digits are no number either.
  std::optional<int> number(int min, int max) {
    digits_ = 0;
    int value = 0;
    while (at_digit() && digits_ < max) {
      value = value * 10 + (lexer_.peek() - '0');
      lexer_.advance();
      ++digits_;
    }
    if (digits_ < min || at_digit()) return std::nullopt;
    lexer_.skip_space();
    return value;
  }
  int digits() const { return digits_; }  // of the last number

  std::string letters() {
    std::string word;
    while (at_letter() && word.size() < 32) {
      word += lexer_.peek();
      lexer_.advance();
    }
    lexer_.skip_space();
    return word;
  }

  bool take(std::string_view any_of) {
    if (done() || !any_of.contains(lexer_.peek())) return false;
    lexer_.advance();
    lexer_.skip_space();
    return true;
  }

  char sign() {
    for (const char c : {'+', '-'})
      if (lexer_.at(c)) {
        lexer_.advance();
        return c;
      }
    return 0;
  }

 private:
  Lexer lexer_;
  int digits_ = 0;
};

std::optional<unsigned> month_named(std::string_view word) {
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (starts_with_ignoring_case(word, kMonths[i])) return static_cast<unsigned>(i + 1);
  return std::nullopt;
}

// RFC 5322 §4.3: a two-digit year below 50 is of this century, three digits count from 1900.
int full_year(int year, int digits) {
  if (digits == 2 && year < 50) return year + 2000;
  return digits < 4 ? year + 1900 : year;
}

// Unknown zones, military ones among them (RFC 822 had their signs wrong), count as +0000.
int zone_named(std::string_view word) {
  if (word.size() != 3 || to_lower_ascii(word[2]) != 't') return 0;
  int hours = 0;
  switch (to_lower_ascii(word[0])) {
    case 'e':
      hours = -5;
      break;
    case 'c':
      hours = -6;
      break;
    case 'm':
      hours = -7;
      break;
    case 'p':
      hours = -8;
      break;
    default:
      return 0;
  }
  switch (to_lower_ascii(word[1])) {
    case 's':
      return hours * 60;
    case 'd':
      return hours * 60 + 60;
    default:
      return 0;
  }
}

int read_zone(DateReader& reader) {
  if (const char sign = reader.sign()) {
    const auto number = reader.number(4, 4);
    if (!number || *number / 100 > 23 || *number % 100 > 59) return 0;
    const int minutes = *number / 100 * 60 + *number % 100;
    return sign == '-' ? -minutes : minutes;
  }
  return zone_named(reader.letters());
}

}  // namespace

std::optional<Date> parse_date(std::string_view value) {
  DateReader reader(value);
  std::optional<int> day, year;
  std::optional<unsigned> month;
  if (reader.at_letter()) {
    const std::string word = reader.letters();
    month = reader.take(",.") ? std::nullopt : month_named(word);
  }
  if (!month && reader.at_letter()) month = month_named(reader.letters());  // "Mon Nov 30 10:06:14 2026"
  const bool month_first = month.has_value();
  day = reader.number(1, 2);
  if (!day) return std::nullopt;
  if (!month_first) {
    reader.take("-.");
    month = month_named(reader.letters());
    if (!month) return std::nullopt;
    reader.take("-.");
    year = reader.number(2, 4);
    if (!year) return std::nullopt;
    year = full_year(*year, reader.digits());
  }

  const auto hour = reader.number(1, 2);
  if (!hour || !reader.take(":.")) return std::nullopt;
  const auto minute = reader.number(2, 2);
  if (!minute) return std::nullopt;
  int second = 0;
  if (reader.take(":.")) {
    const auto read = reader.number(2, 2);
    if (!read) return std::nullopt;
    second = *read;
  }
  int zone = 0;
  if (month_first) {
    if (reader.at_letter()) zone = read_zone(reader);
    year = reader.number(4, 4);
    if (!year) return std::nullopt;
  }
  if (!reader.done()) zone = read_zone(reader);

  using namespace std::chrono;
  const year_month_day date{std::chrono::year{*year}, std::chrono::month{*month},
                            std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *hour > 23 || *minute > 59 || second > 60) return std::nullopt;
  const std::int64_t days = sys_days{date}.time_since_epoch().count();
  return Date{days * 86'400 + *hour * 3'600 + *minute * 60 + second - zone * 60, zone};
}

std::string format_date(std::int64_t seconds, int zone_minutes) {
  using namespace std::chrono;
  const sys_seconds local{std::chrono::seconds{seconds + zone_minutes * 60}};
  const auto day = floor<days>(local);
  const year_month_day date{day};
  const hh_mm_ss time{local - day};
  const int zone = std::abs(zone_minutes);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} {}{:02}{:02}", kDays[weekday{day}.c_encoding()],
                     static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                     static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
                     time.seconds().count(), zone_minutes < 0 ? '-' : '+', zone / 60, zone % 60);
}

}  // namespace muhur::mime

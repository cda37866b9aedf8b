#include "lmtp/trace.hpp"

#include <fmt/format.h>

#include <ctime>

namespace muhur::lmtp {

std::string date_of(std::int64_t unix_ms) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = unix_ms / 1000;
  std::tm t{};
  gmtime_r(&seconds, &t);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} +0000", kDays[t.tm_wday], t.tm_mday,
                     kMonths[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

std::string received_header(const Trace& trace) {
  // RFC 6531 §4.3 names the protocol after what was spoken.
  std::string header =
      fmt::format("Received: from {} ({})\r\n\tby {} with {} id {}", trace.client_name, trace.client_address,
                  trace.host_name, trace.utf8 ? "UTF8LMTP" : "LMTP", trace.id);
  if (!trace.recipient.empty()) header += fmt::format("\r\n\tfor <{}>", trace.recipient);
  header += fmt::format(";\r\n\t{}\r\n", date_of(trace.now_ms));
  return header;
}

}  // namespace muhur::lmtp

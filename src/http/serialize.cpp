#include "http/serialize.hpp"

#include <ctime>

#include "base/unicode.hpp"

namespace muhur::http {
namespace {

bool is_framing(std::string_view name) {
  return equals_ignoring_case(name, "Content-Length") || equals_ignoring_case(name, "Transfer-Encoding") ||
         equals_ignoring_case(name, "Connection") || equals_ignoring_case(name, "Date");
}

void append_fields(const Headers& headers, std::string& out) {
  for (const auto& [name, value] : headers.fields()) {
    if (is_framing(name)) continue;
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  }
}

void append_length(std::size_t size, std::string& out) {
  out += "Content-Length: ";
  out += fmt::format_int(size).c_str();
  out += "\r\n";
}

}  // namespace

std::string http_date(std::int64_t seconds) {
  static constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time = seconds;
  std::tm utc{};
  gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                     kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string_view date_now() {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  if (const std::time_t now = std::time(nullptr); now != second) {
    second = now;
    text = http_date(now);
  }
  return text;
}

void serialize(const Response& response, Framing framing, std::string& out) {
  out += "HTTP/1.1 ";
  out += fmt::format_int(response.status).c_str();
  out += ' ';
  out += reason_of(response.status);
  out += "\r\nDate: ";
  out += date_now();
  out += "\r\n";
  append_fields(response.headers, out);
  // RFC 9110 §8.6: neither 1xx nor 204 has a length; a 304's would be that of what it stands for.
  const bool bodiless = response.status / 100 == 1 || response.status == 204 || response.status == 304;
  if (!bodiless) append_length(response.body.size(), out);
  if (framing.close)
    out += "Connection: close\r\n";
  else if (framing.keep_alive)
    out += "Connection: keep-alive\r\n";
  out += "\r\n";
  if (!bodiless && !framing.to_head) out += response.body;
}

void serialize_request(std::string_view method, std::string_view host, std::string_view target,
                       const Headers& headers, std::string_view body, std::string& out) {
  out += method;
  out += ' ';
  out += target;
  out += " HTTP/1.1\r\nHost: ";
  out += host;
  out += "\r\n";
  append_fields(headers, out);
  if (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH")
    append_length(body.size(), out);
  out += "\r\n";
  out += body;
}

}  // namespace muhur::http

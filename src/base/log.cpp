#include "base/log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unicode/utf8.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iterator>

#include "base/unicode.hpp"

namespace muhur::log {
namespace {

constexpr std::size_t kLongestValue = 1024;

std::atomic<Level> threshold{Level::info};

struct LevelName {
  std::string_view name;
  char syslog;  // journald's priority
};
constexpr LevelName kLevels[] = {{"trace", '7'}, {"debug", '7'}, {"info", '6'},
                                 {"warn", '4'},  {"error", '3'}, {"off", '3'}};

// Control characters, also C1 (which terminals obey), line separators and marks that reorder text.
bool must_escape(UChar32 c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

void append_escaped(std::string& out, std::string_view valid_utf8, bool quoted) {
  const char* text = valid_utf8.data();
  const std::size_t size = valid_utf8.size();
  for (std::size_t i = 0; i < size;) {
    const std::size_t from = i;
    UChar32 c = 0;
    U8_NEXT(text, i, size, c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (quoted && (c == '"' || c == '\\')) {
      out += '\\';
      out += static_cast<char>(c);
    } else if (must_escape(c)) {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<unsigned>(c));
    } else {
      out.append(text + from, i - from);
    }
  }
}

bool is_plain(std::string_view value) {
  if (value.empty() || !is_ascii(value)) return false;
  for (const char c : value)
    if (c <= ' ' || c == '"' || c == '\\' || c == '=' || c == 0x7F) return false;
  return true;
}

void append_value(std::string& out, std::string_view value) {
  const bool cut = value.size() > kLongestValue;
  if (cut) value = value.substr(0, kLongestValue);
  if (!cut && is_plain(value)) {
    out += value;
    return;
  }
  out += '"';
  append_escaped(out, to_valid_utf8(value), true);
  if (cut) out += "…";
  out += '"';
}

void append_line(std::string& out, Level level, std::string_view area, std::string_view message,
                 Fields fields) {
  out += kLevels[static_cast<std::size_t>(level)].name;
  out += ' ';
  out += area;
  out += ' ';
  append_escaped(out, to_valid_utf8(message), false);
  for (const Field& field : fields) {
    out += ' ';
    out += field.key;
    out += '=';
    append_value(out, field.value);
  }
}

void append_time(std::string& out) {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(now - seconds).count();
  fmt::format_to(std::back_inserter(out), "{:%Y-%m-%dT%H:%M:%S}.{:03}Z ",
                 fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), millis);
}

}  // namespace

void set_level(Level level) { threshold.store(level, std::memory_order_relaxed); }

bool set_level(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kLevels); ++i) {
    if (kLevels[i].name != name) continue;
    set_level(static_cast<Level>(i));
    return true;
  }
  return false;
}

bool enabled(Level level) {
  return level >= threshold.load(std::memory_order_relaxed) && level != Level::off;
}

std::string line_of(Level level, std::string_view area, std::string_view message, Fields fields) {
  std::string line;
  append_line(line, level, area, message, fields);
  return line;
}

void write(Level level, std::string_view area, std::string_view message, Fields fields) {
  static const bool journald = std::getenv("JOURNAL_STREAM") != nullptr;
  std::string line;
  line.reserve(200);
  if (journald) {
    line = {'<', kLevels[static_cast<std::size_t>(level)].syslog, '>'};
  } else {
    append_time(line);
  }
  append_line(line, level, area, message, fields);
  line += '\n';
  // One write a line: lines of several threads do not mix. A log that cannot be written is no reason to stop.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace muhur::log

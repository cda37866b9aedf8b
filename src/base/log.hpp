#pragma once
// Structured log: one line an event, `time level area message key=value …`, to standard error. Under
// journald (JOURNAL_STREAM is set) the time is left to it and the level goes before the line as "<N>".
// Values are escaped so that no input can forge a line or steer a terminal. A Secret prints as ***;
// passwords, tokens, keys, subjects and message text are never passed in. Thread-safe. Costs nothing below
// the level but the test.
//
//   log::info("imap", "signed in", {{"user", id}, {"peer", peer}});

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace muhur {
class Secret;
struct Error;
}  // namespace muhur

namespace muhur::log {

enum class Level { trace, debug, info, warn, error, off };

struct Field {
  std::string_view key;
  std::string value;
  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  template <std::integral N>
  Field(std::string_view k, N v) : key(k), value(std::to_string(v)) {}
  Field(std::string_view k, double v) : key(k), value(std::to_string(v)) {}
  Field(std::string_view k, const Secret&) : key(k), value("***") {}
};
using Fields = std::initializer_list<Field>;

void set_level(Level level);
bool set_level(std::string_view name);  // false for an unknown name
bool enabled(Level level);
void write(Level level, std::string_view area, std::string_view message, Fields fields);
// The line without time and line end: "info imap signed in user=7".
std::string line_of(Level level, std::string_view area, std::string_view message, Fields fields);

inline void debug(std::string_view area, std::string_view message, Fields f = {}) {
  if (enabled(Level::debug)) write(Level::debug, area, message, f);
}
inline void info(std::string_view area, std::string_view message, Fields f = {}) {
  if (enabled(Level::info)) write(Level::info, area, message, f);
}
inline void warn(std::string_view area, std::string_view message, Fields f = {}) {
  if (enabled(Level::warn)) write(Level::warn, area, message, f);
}
inline void error(std::string_view area, std::string_view message, Fields f = {}) {
  if (enabled(Level::error)) write(Level::error, area, message, f);
}

}  // namespace muhur::log

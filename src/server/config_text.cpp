// Names, sizes and durations as people write them; the key table as documents.
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <numeric>

#include "base/unicode.hpp"
#include "server/config_keys.hpp"

namespace muhur::server {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// A whole number and a unit out of `units`, without overflow.
std::optional<std::uint64_t> number_with_unit(std::string_view text, std::span<const Unit> units) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end == text.data()) return {};
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : units)
    if (equals_ignoring_case(unit, known.name)) {
      if (n > std::numeric_limits<std::int64_t>::max() / known.factor) return {};
      return n * known.factor;
    }
  return {};
}

std::string trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == text.npos) return {};
  return std::string(text.substr(from, text.find_last_not_of(" \t") - from + 1));
}

constexpr std::string_view kLive = " Taken over at SIGHUP.";

std::string wrapped_comment(std::string_view text) {
  std::string out, line;
  for (std::size_t at = 0; at <= text.size();) {
    const auto space = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, space - at);
    if (!line.empty() && line.size() + 1 + word.size() > 100) {
      out += "# " + line + '\n';
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    at = space + 1;
  }
  return out + "# " + line + '\n';
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  static constexpr Unit kUnits[] = {
      {"", 1},        {"B", 1},         {"KiB", 1 << 10}, {"K", 1 << 10},      {"MiB", 1 << 20},
      {"M", 1 << 20}, {"GiB", 1 << 30}, {"G", 1 << 30},   {"TiB", 1ull << 40}, {"T", 1ull << 40}};
  if (const auto size = number_with_unit(text, kUnits)) return *size;
  return fail(Code::invalid, fmt::format("`{}` is not a size", text),
              "write 1024, \"64KiB\", \"50MiB\" or \"2GiB\"");
}

Result<Millis> parse_duration(std::string_view text) {
  static constexpr Unit kUnits[] = {{"ms", 1},       {"s", 1000},      {"m", 60'000},
                                    {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
  if (const auto time = number_with_unit(text, kUnits)) return Millis(*time);
  return fail(Code::invalid, fmt::format("`{}` is not a duration", text),
              "write \"250ms\", \"60s\", \"31m\" or \"2h\"");
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::string_view kNames[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(kNames) && bytes >= 1024 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  if (bytes < 10'000 || unit + 1 >= std::size(kNames)) return fmt::format("{} {}", bytes, kNames[unit]);
  double rounded = static_cast<double>(bytes);
  while (unit + 1 < std::size(kNames) && rounded >= 1024) {
    rounded /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", rounded, kNames[unit]);
}

std::string environment_name(std::string_view key) {
  std::string name = "MUHUR_";
  for (const char c : key) name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return name;
}

Result<Value> value_from_text(const Key& key, std::string_view text) {
  switch (key.kind) {
    case Kind::text:
    case Kind::path:
    case Kind::size:
    case Kind::duration:
    case Kind::mode:
      return Value(std::string(text));
    case Kind::flag:
      if (text == "true" || text == "1" || text == "yes") return Value(true);
      if (text == "false" || text == "0" || text == "no") return Value(false);
      return fail(Code::invalid, "true or false is expected");
    case Kind::number: {
      std::int64_t n = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
      if (error != std::errc() || end != text.data() + text.size())
        return fail(Code::invalid, "a whole number is expected");
      return Value(n);
    }
    case Kind::list: {
      std::vector<std::string> items;
      for (std::size_t at = 0; at <= text.size();) {
        const auto comma = std::min(text.find(',', at), text.size());
        if (auto item = trimmed(text.substr(at, comma - at)); !item.empty()) items.push_back(std::move(item));
        at = comma + 1;
      }
      return Value(std::move(items));
    }
  }
  return fail(Code::internal, "a key of unknown kind");
}

std::string nearest(std::string_view name, std::span<const std::string> known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(3, name.size() / 2) + 1;
  for (const std::string& candidate : known) {
    // Levenshtein's distance, one row at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replaced = diagonal + (name[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string keys_as_markdown() {
  std::string out = "| key | kind | built in | environment | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const Key& key : config_keys())
    out += fmt::format("| `{}` | {} | `{}` | `{}` | {}{} |\n", key.name, name_of(key.kind), key.built_in,
                       environment_name(key.name), key.doc, key.live ? kLive : "");
  return out;
}

std::string example_file(const std::map<std::string, std::string>& values) {
  std::string out =
      "# Muhur's configuration. Every key is here; one that is commented out has its built-in value.\n"
      "# An environment variable MUHUR_SECTION_KEY goes before this file.\n";
  std::string section;
  for (const Key& key : config_keys()) {
    const auto dot = key.name.find('.');
    const auto its_section = dot == key.name.npos ? std::string_view() : key.name.substr(0, dot);
    if (its_section != section) {
      section = its_section;
      out += fmt::format("\n[{}]\n", section);
    } else {
      out += '\n';
    }
    out += wrapped_comment(std::string(key.doc) + std::string(key.live ? kLive : ""));
    const auto given = values.find(std::string(key.name));
    const auto short_name = dot == key.name.npos ? key.name : key.name.substr(dot + 1);
    out += given == values.end() ? fmt::format("#{} = {}\n", short_name, key.built_in)
                                 : fmt::format("{} = {}\n", short_name, given->second);
  }
  return out;
}

}  // namespace muhur::server

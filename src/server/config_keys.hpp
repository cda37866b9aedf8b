#pragma once
// The table of configuration keys: the one place where a key has its name, its kind, its built-in value, its
// sentence, and the field that it sets. Parser, help, example file and docs/configuration.md all read it.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "server/config.hpp"

namespace muhur::server {

using Value = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;

enum class Kind { text, path, flag, number, size, duration, list, mode };
std::string_view name_of(Kind kind);

struct Key {
  std::string_view name;  // "imap.listen"
  Kind kind;
  std::string_view built_in;  // as TOML has it
  std::string_view doc;
  Result<void> (*set)(Config& config, const Value& value);
  bool (*same)(const Config& a, const Config& b);  // whether both have the same value
  bool live = false;  // a running server takes a new value over (server/reload.hpp)
};

std::span<const Key> config_keys();
const Key* find_key(std::string_view name);

// "imap.listen" -> "MUHUR_IMAP_LISTEN".
std::string environment_name(std::string_view key);
// A value as the environment gives it, read as the key's kind: lists split at commas.
Result<Value> value_from_text(const Key& key, std::string_view text);

// The name among `known` that needs the fewest edits from `name`; empty when none is near.
std::string nearest(std::string_view name, std::span<const std::string> known);

// Sizes: 1024, "64KiB", "50MiB", "2GiB". Durations: "250ms", "60s", "31m", "2h". Neither is ever negative.
Result<std::uint64_t> parse_size(std::string_view text);
Result<Millis> parse_duration(std::string_view text);
std::string format_size(std::uint64_t bytes);

// The keys as a Markdown table, and as a commented TOML file with `values` in place of built-in ones.
std::string keys_as_markdown();
std::string example_file(const std::map<std::string, std::string>& values = {});

}  // namespace muhur::server

#include "server/toml_reader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace muhur::server {
namespace {

Result<Value> value_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return Value(text->get());
  if (const auto* number = node.as_integer()) return Value(number->get());
  if (const auto* flag = node.as_boolean()) return Value(flag->get());
  if (const auto* array = node.as_array()) {
    std::vector<std::string> items;
    for (const auto& item : *array) {
      const auto* text = item.as_string();
      if (!text) return fail(Code::invalid, "a list of texts is expected");
      items.push_back(text->get());
    }
    return Value(std::move(items));
  }
  return fail(Code::invalid, "a text, a whole number, true, false or a list of texts is expected");
}

Result<void> flatten(const toml::table& table, const std::string& prefix, const std::filesystem::path& file,
                     std::vector<Setting>& into) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      MUHUR_CHECK(flatten(*inner, name + ".", file, into));
      continue;
    }
    const auto line = static_cast<unsigned>(node.source().begin.line);
    auto value = value_of(node);
    if (!value)
      return fail(Code::invalid, fmt::format("{}:{}: {}: {}", file.string(), line, name, value.error().what));
    into.push_back({name, std::move(*value), line});
  }
  return {};
}

}  // namespace

Result<std::vector<Setting>> read_toml(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return fail(Code::not_found, fmt::format("cannot read the configuration {}", file.string()),
                "make one with `muhur init DIR --domain D`, or name it with --config FILE");
  std::stringstream text;
  text << in.rdbuf();
  const toml::parse_result parsed = toml::parse(text.str(), file.string());
  if (!parsed) {
    const auto& error = parsed.error();
    return fail(Code::invalid, fmt::format("{}:{}: {}", file.string(), error.source().begin.line,
                                           std::string_view(error.description())));
  }
  std::vector<Setting> settings;
  MUHUR_CHECK(flatten(parsed.table(), "", file, settings));
  return settings;
}

}  // namespace muhur::server

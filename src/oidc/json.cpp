#include "oidc/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxDepth = 32;

std::size_t members_of(const json::value& value) {
  std::size_t count = 0;
  if (value.is_object()) {
    for (const auto& member : value.get_object()) count += 1 + members_of(member.value());
  } else if (value.is_array()) {
    for (const auto& item : value.get_array()) count += members_of(item);
  }
  return count;
}

// Members as they are written in JSON that is known to be well-formed: colons outside of texts.
std::size_t colons_of(std::string_view text) {
  std::size_t count = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (inside && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      inside = !inside;
    else if (!inside && text[i] == ':')
      ++count;
  }
  return count;
}

}  // namespace

Result<json::object> parse_object(std::string_view text) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::value value = json::parse(text, error, {}, options);
  if (error || !value.is_object()) return fail(Code::invalid, "not a JSON object");
  // boost.json keeps the last of several members of one name without a word.
  if (members_of(value) != colons_of(text)) return fail(Code::invalid, "a JSON name stands there twice");
  return std::move(value.get_object());
}

std::optional<std::string_view> text_of(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

}  // namespace muhur::oidc

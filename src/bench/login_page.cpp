#include "bench/login_page.hpp"

#include <charconv>

#include "base/unicode.hpp"

namespace muhur::bench {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

char referenced(std::string_view name) {
  if (name == "amp") return '&';
  if (name == "lt") return '<';
  if (name == "gt") return '>';
  if (name == "quot") return '"';
  if (name == "apos") return '\'';
  if (!name.starts_with('#')) return 0;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  unsigned code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
  return error == std::errc{} && end == name.data() + name.size() && code < 0x80 ? static_cast<char>(code)
                                                                                 : 0;
}

std::string decoded(std::string_view value) {
  constexpr std::size_t kLongest = 8;
  if (value.find('&') == std::string_view::npos) return std::string(value);
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::size_t end = value[i] == '&' ? value.find(';', i) : std::string_view::npos;
    const char c = end != std::string_view::npos && end - i <= kLongest
                       ? referenced(value.substr(i + 1, end - i - 1))
                       : '\0';
    out += c ? c : value[i];
    if (c) i = end;
  }
  return out;
}

// Takes the tag's next attribute off `rest`; false at its end.
bool next_attribute(std::string_view& rest, std::string_view& name, std::string_view& value) {
  while (!rest.empty() && (is_space(rest[0]) || rest[0] == '/')) rest.remove_prefix(1);
  if (rest.empty() || rest[0] == '>') return false;
  std::size_t end = 1;
  while (end < rest.size() && !is_space(rest[end]) && rest[end] != '=' && rest[end] != '>') ++end;
  name = rest.substr(0, end);
  value = {};
  rest.remove_prefix(end);
  if (!rest.starts_with('=')) return true;
  rest.remove_prefix(1);
  const char quote = rest.empty() ? '\0' : rest[0];
  if (quote == '"' || quote == '\'') {
    const std::size_t close = std::min(rest.find(quote, 1), rest.size());
    value = rest.substr(1, close - 1);
    rest.remove_prefix(std::min(close + 1, rest.size()));
  } else {
    const std::size_t close = std::min(rest.find_first_of(" \t\r\n\f>"), rest.size());
    value = rest.substr(0, close);
    rest.remove_prefix(close);
  }
  return true;
}

// Where the next `<name` begins, behind it; npos when there is none.
std::size_t after_tag(std::string_view html, std::string_view name, std::size_t from) {
  while ((from = html.find('<', from)) != std::string_view::npos) {
    const std::string_view tag = html.substr(++from, name.size() + 1);
    if (tag.size() > name.size() && starts_with_ignoring_case(tag, name) && is_space(tag[name.size()]))
      return from + name.size();
  }
  return std::string_view::npos;
}

void add_hidden(std::string_view tag, FormFields& into) {
  std::string_view name, value, type;
  std::string own_name, own_value;
  while (next_attribute(tag, name, value)) {
    if (equals_ignoring_case(name, "type")) type = value;
    if (equals_ignoring_case(name, "name")) own_name = decoded(value);
    if (equals_ignoring_case(name, "value")) own_value = decoded(value);
  }
  if (equals_ignoring_case(type, "hidden") && !own_name.empty())
    into.emplace_back(std::move(own_name), std::move(own_value));
}

}  // namespace

std::optional<PageForm> find_form(std::string_view html, std::string_view action) {
  std::size_t at = 0;
  while ((at = after_tag(html, "form", at)) != std::string_view::npos) {
    PageForm form;
    std::string_view tag = html.substr(at), name, value;
    while (next_attribute(tag, name, value))
      if (equals_ignoring_case(name, "action")) form.action = decoded(value);
    if (form.action.find(action) == std::string::npos) continue;
    const std::string_view inner = tag.substr(0, std::min(tag.find("</form"), tag.size()));
    for (std::size_t i = 0; (i = after_tag(inner, "input", i)) != std::string_view::npos;)
      add_hidden(inner.substr(i), form.hidden);
    return form;
  }
  return std::nullopt;
}

}  // namespace muhur::bench

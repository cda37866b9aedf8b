#include "mime/fields.hpp"

#include "base/unicode.hpp"

namespace muhur::mime {
namespace {

constexpr std::size_t kMaxName = 1000;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The first line of `text` with its line break.
std::string_view first_line(std::string_view text) {
  const auto end = text.find('\n');
  return end == std::string_view::npos ? text : text.substr(0, end + 1);
}

std::string_view without_line_break(std::string_view line) {
  if (line.ends_with('\n')) {
    line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return line;
}

bool possible_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxName) return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u <= ' ' || u == 0x7f;
  });
}

}  // namespace

std::optional<Field> FieldReader::next() {
  while (!rest_.empty()) {
    std::string_view line = first_line(rest_);
    if (line == "\n" || line == "\r\n") {
      rest_ = {};
      break;
    }
    std::size_t size = line.size();
    while (size < rest_.size() && rest_[size - 1] == '\n' && is_blank(rest_[size]))
      size += first_line(rest_.substr(size)).size();
    const std::string_view whole = rest_.substr(0, size);
    rest_.remove_prefix(size);

    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view name = line.substr(0, colon);
    while (!name.empty() && is_blank(name.back())) name.remove_suffix(1);
    if (!possible_name(name)) continue;
    return Field{name, without_line_break(whole.substr(colon + 1)), whole};
  }
  return std::nullopt;
}

std::vector<Field> fields(std::string_view block) {
  std::vector<Field> all;
  FieldReader reader(block);
  while (auto field = reader.next()) all.push_back(*field);
  return all;
}

std::optional<std::string> first_value(std::string_view block, std::string_view name) {
  FieldReader reader(block);
  while (auto field = reader.next())
    if (equals_ignoring_case(field->name, name)) return unfold(field->value);
  return std::nullopt;
}

std::string unfold(std::string_view raw) {
  while (!raw.empty() && (is_blank(raw.front()) || raw.front() == '\r' || raw.front() == '\n'))
    raw.remove_prefix(1);
  while (!raw.empty() && (is_blank(raw.back()) || raw.back() == '\r' || raw.back() == '\n'))
    raw.remove_suffix(1);
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (c == '\0') {
      out += "\xEF\xBF\xBD";
    } else if (c != '\r' && c != '\n') {
      out += c;
    } else if (i + 1 < raw.size() && !is_blank(raw[i + 1]) && raw[i + 1] != '\r' && raw[i + 1] != '\n') {
      out += ' ';
    }
  }
  return out;
}

}  // namespace muhur::mime

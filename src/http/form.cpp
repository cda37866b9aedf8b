#include "http/form.hpp"

#include <algorithm>

namespace muhur::http {
namespace {

constexpr std::size_t kMostParameters = 200;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

Result<Form> Form::parse(std::string_view encoded) {
  Form form;
  while (!encoded.empty()) {
    const auto end = std::min(encoded.find('&'), encoded.size());
    const std::string_view pair = encoded.substr(0, end);
    encoded.remove_prefix(std::min(end + 1, encoded.size()));
    if (pair.empty()) continue;
    if (form.fields_.size() == kMostParameters) return fail(Code::invalid, "more than 200 parameters");
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return fail(Code::invalid, "a '%' without two hex digits behind it");
    if (name->contains('\0') || value->contains('\0')) return fail(Code::invalid, "a NUL byte");
    form.fields_.emplace_back(std::move(*name), std::move(*value));
  }
  return form;
}

std::optional<std::string_view> Form::get(std::string_view name) const {
  const auto found =
      std::ranges::find(fields_, name, [](const auto& field) { return std::string_view(field.first); });
  if (found == fields_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string_view> Form::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : fields_)
    if (field == name) values.push_back(value);
  return values;
}

std::optional<std::string> Form::repeated() const {
  for (std::size_t i = 0; i < fields_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (fields_[i].first == fields_[j].first) return fields_[i].first;
  return std::nullopt;
}

void Form::set(std::string name, std::string value) {
  std::erase_if(fields_, [&](const auto& field) { return field.first == name; });
  add(std::move(name), std::move(value));
}

std::string Form::encoded() const {
  std::string text;
  for (const auto& [name, value] : fields_) {
    if (!text.empty()) text += '&';
    text += percent_encode(name);
    text += '=';
    text += percent_encode(value);
  }
  return text;
}

std::string percent_encode(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4];
    encoded += kDigits[byte & 15];
  }
  return encoded;
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::string with_query(std::string_view uri, const Form& parameters) {
  const auto hash = std::min(uri.find('#'), uri.size());
  std::string result(uri.substr(0, hash));
  if (const std::string query = parameters.encoded(); !query.empty()) {
    if (!result.contains('?'))
      result += '?';
    else if (!result.ends_with('?') && !result.ends_with('&'))
      result += '&';
    result += query;
  }
  result += uri.substr(hash);
  return result;
}

}  // namespace muhur::http

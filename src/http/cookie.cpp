#include "http/form.hpp"

namespace muhur::http {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// cookie-octet of RFC 6265 §4.1.1.
bool is_cookie_octet(char c) { return c > ' ' && c < 0x7F && c != '"' && c != ',' && c != ';' && c != '\\'; }

}  // namespace

std::optional<std::string> cookie(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const auto end = std::min(header.find(';'), header.size());
    const std::string_view pair = trim(header.substr(0, end));
    header.remove_prefix(std::min(end + 1, header.size()));
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos || trim(pair.substr(0, equals)) != name) continue;
    std::string_view value = trim(pair.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return std::nullopt;
}

std::string set_cookie(std::string_view name, std::string_view value, const CookieOptions& options) {
  std::string text(name);
  text += '=';
  for (const char c : value)
    if (is_cookie_octet(c)) text += c;
  text += "; Path=";
  text += options.path;
  if (options.max_age_s) text += fmt::format("; Max-Age={}", *options.max_age_s);
  if (options.secure) text += "; Secure";
  if (options.http_only) text += "; HttpOnly";
  if (!options.same_site.empty()) {
    text += "; SameSite=";
    text += options.same_site;
  }
  return text;
}

}  // namespace muhur::http

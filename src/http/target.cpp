#include "http/target.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "http/form.hpp"

namespace muhur::http {
namespace {

bool is_visible_ascii(char c) { return c > ' ' && c < 0x7F; }

std::optional<std::string> decode_path(std::string_view raw) {
  // A slash that came encoded would become another path than the one that proxies before us looked at.
  for (std::size_t i = 0; i + 2 < raw.size(); ++i)
    if (raw[i] == '%' && raw[i + 1] == '2' && (raw[i + 2] == 'f' || raw[i + 2] == 'F')) return std::nullopt;
  auto path = percent_decode(raw);
  if (!path || !is_utf8(*path)) return std::nullopt;
  if (std::ranges::any_of(*path, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F || c == '\\'; }))
    return std::nullopt;
  std::string_view rest = *path;
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the slash
    const auto end = std::min(rest.find('/'), rest.size());
    const auto segment = rest.substr(0, end);
    if (segment == "." || segment == "..") return std::nullopt;
    rest.remove_prefix(end);
  }
  return path;
}

}  // namespace

std::optional<Target> parse_target(std::string_view target) {
  Target parsed;
  if (target == "*") {
    parsed.path = "*";
    return parsed;
  }
  if (target.contains('#') || !std::ranges::all_of(target, is_visible_ascii)) return std::nullopt;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!starts_with_ignoring_case(target, scheme)) continue;
    target.remove_prefix(scheme.size());
    const auto end = std::min(target.find_first_of("/?"), target.size());
    parsed.authority = canonical_authority(target.substr(0, end));
    if (parsed.authority.empty()) return std::nullopt;
    target.remove_prefix(end);
    break;
  }
  const auto question = std::min(target.find('?'), target.size());
  std::string_view raw = target.substr(0, question);
  if (raw.empty() && !parsed.authority.empty()) raw = "/";
  if (!raw.starts_with('/')) return std::nullopt;
  auto path = decode_path(raw);
  if (!path) return std::nullopt;
  parsed.path = std::move(*path);
  parsed.query = target.substr(std::min(question + 1, target.size()));
  return parsed;
}

std::string_view host_without_port(std::string_view authority) {
  const auto colon = authority.rfind(':');
  const auto bracket = authority.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket))
    return authority;
  return authority.substr(0, colon);
}

std::string canonical_authority(std::string_view authority) {
  const std::string_view host = host_without_port(authority);
  const std::string_view port = authority.substr(host.size());  // with its colon
  if (host.empty() || authority.size() > 300) return {};
  if (!std::ranges::all_of(port.substr(port.empty() ? 0 : 1), [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  const bool literal = host.starts_with('[') && host.ends_with(']');
  const auto inside = literal ? host.substr(1, host.size() - 2) : host;
  for (const char c : inside) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && !(literal ? c == ':' || c == '.' : c == '-' || c == '.' || c == '_')) return {};
  }
  return to_lower_ascii(authority);
}

}  // namespace muhur::http

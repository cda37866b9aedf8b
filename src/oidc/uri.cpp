#include "oidc/uri.hpp"

#include <algorithm>
#include <charconv>

#include "base/unicode.hpp"

namespace muhur::oidc {
namespace {

constexpr std::size_t kMaxUri = 2048;
constexpr std::size_t kMaxHost = 255;

std::unexpected<Error> bad(std::string_view why) {
  return fail(Code::invalid, "not a usable URI: " + std::string(why));
}

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// RFC 3986 §2: everything else is there for somebody to read differently.
bool is_uri_character(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c) ||
         std::string_view("-._~:/?#[]@!$&'()*+,;=%").contains(c);
}

Result<void> check_characters(std::string_view uri) {
  if (uri.empty() || uri.size() > kMaxUri) return bad("it has not 1 to 2048 characters");
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '\\') return bad("a backslash");
    if (uri[i] == '#') return bad("a fragment");
    if (!is_uri_character(uri[i])) return bad("a character that has to be percent-encoded");
    if (uri[i] == '%' && (i + 2 >= uri.size() || !is_hex(uri[i + 1]) || !is_hex(uri[i + 2])))
      return bad("a bad percent escape");
  }
  return {};
}

bool has_dot_segments(std::string_view rest) {
  std::string path(rest.substr(0, rest.find('?')));
  for (const std::string_view escape : {"%2e", "%2E"})
    for (auto at = path.find(escape); at != path.npos; at = path.find(escape)) path.replace(at, 3, ".");
  for (const std::string_view escape : {"%2f", "%2F", "%5c", "%5C"})
    for (auto at = path.find(escape); at != path.npos; at = path.find(escape)) path.replace(at, 3, "/");
  std::size_t from = 0;
  while (true) {
    const auto to = path.find('/', from);
    const auto segment = std::string_view(path).substr(from, to == path.npos ? to : to - from);
    if (segment == "." || segment == "..") return true;
    if (to == path.npos) return false;
    from = to + 1;
  }
}

Result<void> split_authority(std::string_view authority, UriParts& parts) {
  if (authority.contains('@')) return bad("a user name before the host");
  const auto colon = authority.starts_with('[')
                         ? authority.find(':', std::min(authority.find(']'), authority.size()))
                         : authority.find(':');
  parts.host = authority.substr(0, colon);
  if (colon != authority.npos) {
    parts.port = authority.substr(colon + 1);
    unsigned port = 0;
    const auto [end, error] = std::from_chars(parts.port.data(), parts.port.data() + parts.port.size(), port);
    if (error != std::errc() || end != parts.port.data() + parts.port.size() || port == 0 || port > 65'535 ||
        parts.port.starts_with('0'))
      return bad("a port that is none");
  }
  if (parts.host.empty() || parts.host.size() > kMaxHost) return bad("no host");
  if (parts.host.starts_with('[')) {
    if (!parts.host.ends_with(']') || parts.host.size() < 4 ||
        !std::ranges::all_of(parts.host.substr(1, parts.host.size() - 2),
                             [](char c) { return is_hex(c) || c == ':' || c == '.'; }))
      return bad("an IPv6 address that is none");
    return {};
  }
  if (!std::ranges::all_of(parts.host,
                           [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; }))
    return bad("a host that is not in lower-case ASCII (xn--… for others)");
  if (parts.host.starts_with('.') || parts.host.contains("..")) return bad("an empty part in the host");
  return {};
}

}  // namespace

Result<UriParts> split_uri(std::string_view uri) {
  MUHUR_CHECK(check_characters(uri));
  UriParts parts;
  const auto colon = uri.find(':');
  if (colon == uri.npos || colon == 0) return bad("no scheme");
  parts.scheme = uri.substr(0, colon);
  if (!is_lower(parts.scheme[0]) || !std::ranges::all_of(parts.scheme, [](char c) {
        return is_lower(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
      }))
    return bad("a scheme that is not in lower case");
  parts.rest = uri.substr(colon + 1);
  if (parts.rest.starts_with("//")) {
    parts.authority = true;
    const auto end = std::min(parts.rest.find_first_of("/?", 2), parts.rest.size());
    MUHUR_CHECK(split_authority(parts.rest.substr(2, end - 2), parts));
    parts.rest = parts.rest.substr(end);
  }
  if (has_dot_segments(parts.rest)) return bad("dot segments in the path");
  return parts;
}

bool is_loopback_address(std::string_view host) { return host == "127.0.0.1" || host == "[::1]"; }
bool is_loopback(std::string_view host) { return is_loopback_address(host) || host == "localhost"; }

Result<void> check_web_uri(std::string_view uri) {
  MUHUR_TRY(const auto parts, split_uri(uri));
  if (!parts.authority || (parts.scheme != "https" && !(parts.scheme == "http" && is_loopback(parts.host))))
    return bad("neither https nor http on this machine");
  return {};
}

}  // namespace muhur::oidc

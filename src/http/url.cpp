#include <charconv>

#include "base/unicode.hpp"
#include "http/client.hpp"
#include "http/target.hpp"

namespace muhur::http {

Result<Url> Url::parse(std::string_view text) {
  const auto bad = [](std::string_view why) {
    return fail(Code::invalid, fmt::format("not a URL: {}", why));
  };
  const auto colon = text.find("://");
  if (colon == std::string_view::npos) return bad("it does not begin with http:// or https://");
  Url url;
  url.scheme = to_lower_ascii(text.substr(0, colon));
  if (url.scheme != "http" && url.scheme != "https") return bad("its scheme is neither http nor https");
  text.remove_prefix(colon + 3);
  if (std::ranges::any_of(text, [](char c) { return c <= ' ' || c >= 0x7F; }))
    return bad("it has a space, a control character or a letter beyond ASCII");
  text = text.substr(0, text.find('#'));
  const auto end = std::min(text.find_first_of("/?"), text.size());
  const std::string authority = canonical_authority(text.substr(0, end));
  if (authority.empty()) return bad("its host name is not one");
  const auto host = host_without_port(authority);
  url.port = authority.substr(std::min(host.size() + 1, authority.size()));
  url.host = host;
  if (host.starts_with('[')) url.host = host.substr(1, host.size() - 2);
  if (url.port.empty()) url.port = url.scheme == "https" ? "443" : "80";
  unsigned port = 0;
  const auto [stop, error] = std::from_chars(url.port.data(), url.port.data() + url.port.size(), port);
  if (error != std::errc{} || *stop != '\0' || port == 0 || port > 65'535) return bad("its port is not one");
  url.target = text.substr(end);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

}  // namespace muhur::http

#pragma once
// The request target (RFC 9112 §3.2) taken apart. Private to http/.

#include <optional>
#include <string>
#include <string_view>

namespace muhur::http {

struct Target {
  std::string path;       // decoded once; "*" for OPTIONS *
  std::string query;      // raw
  std::string authority;  // of the absolute form, which stands above the Host field; else empty
};

// origin-form and absolute-form, and "*". nullopt: anything else, a path with dot segments (also encoded),
// an encoded slash, backslashes, control characters, ill-formed UTF-8 or a bad escape; a fragment.
std::optional<Target> parse_target(std::string_view target);

// host or host:port of RFC 3986 without userinfo, lower-cased, "" when it is not one.
std::string canonical_authority(std::string_view authority);
std::string_view host_without_port(std::string_view authority);

}  // namespace muhur::http

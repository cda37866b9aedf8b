#pragma once
// The few things that the provider asks of a URI, by hand: a parser that repairs what it reads would compare
// something else than what a browser follows.

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muhur::oidc {

// https, or http on a loopback host, without fragment: a page or an endpoint of a client. invalid says why.
Result<void> check_web_uri(std::string_view uri);

struct UriParts {           // views into the text
  std::string_view scheme;  // without ':'
  std::string_view host;    // "[::1]" with its brackets; empty without an authority
  std::string_view port;    // digits; empty when absent
  std::string_view rest;    // from the path on
  bool authority = false;   // "//" follows the scheme
};
// invalid: longer than 2048 or empty, a character that no URI has, white space, a backslash, a bad percent
// escape, a fragment, userinfo, a scheme or host that is not in lower case or not ASCII, a bad port, dot
// segments (also as %2e).
Result<UriParts> split_uri(std::string_view uri);

bool is_loopback(std::string_view host);          // 127.0.0.1, [::1], localhost
bool is_loopback_address(std::string_view host);  // not the name, which may be resolved to anything

}  // namespace muhur::oidc

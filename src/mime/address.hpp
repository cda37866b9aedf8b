#pragma once
// Addresses of RFC 5322 §3.4 in ENVELOPE's shape (RFC 3501 §7.4.2).

#include <string_view>
#include <vector>

#include "mime/structure.hpp"

namespace muhur::mime {

// What stands where an address lacks a part, as Dovecot writes it: a client sees that it is broken, and an
// empty host is never taken for the mark of a group.
inline constexpr std::string_view kMissingMailbox = "MISSING_MAILBOX";
inline constexpr std::string_view kMissingDomain = "MISSING_DOMAIN";
inline constexpr std::string_view kInvalidRoute = "INVALID_ROUTE";
inline constexpr std::string_view kSyntaxError = "SYNTAX_ERROR";

// Groups, routes, quoted local parts, comments as names. Malformed input gives what can be read.
// At most max_addresses entries, marks of groups included; a group that was begun is always ended.
// `value` is raw (folded or not). Linear time.
std::vector<Address> parse_addresses(std::string_view value, std::size_t max_addresses = 5'000);

}  // namespace muhur::mime

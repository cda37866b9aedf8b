#pragma once
// LIST's wildcards: '*' any octets, '%' any but the hierarchy separator (RFC 3501 §6.3.8).

#include <string_view>

namespace muhur::imap {

inline constexpr char kSeparator = '/';

// Time grows with pattern × path whatever the wildcards. INBOX matches in any case.
bool matches(std::string_view pattern, std::string_view path);

}  // namespace muhur::imap

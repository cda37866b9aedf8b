#pragma once
// Names of folders on the wire: modified UTF-7 (RFC 3501 §5.1.3) outside, UTF-8 paths inside.

#include <optional>
#include <string>
#include <string_view>

namespace muhur::imap {

// nullopt: not modified UTF-7. Strict, so that every name has one form: no shifted printable ASCII, no
// empty or adjacent shifts, no stray bits, no lone surrogate.
std::optional<std::string> from_mutf7(std::string_view wire);
std::string to_mutf7(std::string_view utf8);

// Text of a name or a pattern as UTF-8 in NFC: from modified UTF-7, or from UTF-8 as it stands (some
// clients send it). nullopt: neither.
std::optional<std::string> text_of(std::string_view wire);

// The path that a client means: text_of(); INBOX in any case is "INBOX", also as the first level; a hierarchy
// separator at the end goes (RFC 3501 §6.3.3).
std::optional<std::string> path_of(std::string_view wire);

}  // namespace muhur::imap

#pragma once
// Writing IMAP's data types into a buffer (RFC 3501 §9). Nothing here sends.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mailbox/types.hpp"

namespace muhur::imap {

void append_number(std::string& out, std::uint64_t number);

// "…" where it can be quoted, else a literal. Any octets; NUL, which no string may hold, becomes '?'.
void append_string(std::string& out, std::string_view text);
void append_nstring(std::string& out, const std::optional<std::string>& text);  // NIL when absent
// An atom where it can be one, else a string.
void append_astring(std::string& out, std::string_view text);
void append_literal_head(std::string& out, std::uint64_t size);  // "{n}" CRLF

// Text of a message for ENVELOPE and BODYSTRUCTURE, which carry no octets above 127 unless UTF8=ACCEPT
// was enabled: as RFC 2047 encoded words where it has some.
void append_message_text(std::string& out, std::string_view raw);
void append_message_nstring(std::string& out, const std::optional<std::string>& raw);

// A folder's path as a name on the wire: modified UTF-7, as astring.
void append_mailbox(std::string& out, std::string_view path);

// "(\Seen \Flagged keyword)"
void append_flags(std::string& out, const mailbox::Flags& flags, bool recent);
// "(\Answered \Flagged \Deleted \Seen \Draft k1 k2" … ")", with "\*" at the end for PERMANENTFLAGS.
void append_known_flags(std::string& out, const std::vector<std::string>& keywords, bool permanent);

}  // namespace muhur::imap

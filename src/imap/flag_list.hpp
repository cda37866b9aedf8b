#pragma once
// Flags as a client writes them.

#include <optional>

#include "imap/parser.hpp"
#include "mailbox/types.hpp"

namespace muhur::imap {

struct FlagsGiven {
  mailbox::Flags flags;
  std::string_view problem;  // not empty: what is wrong
};

// "(\Seen x)", or without parentheses flags up to the end. \Recent is passed over: no client can set it.
FlagsGiven parse_flags(Parser& parser);

}  // namespace muhur::imap

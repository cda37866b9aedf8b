#pragma once
// The arguments of LIST: basic (RFC 3501 §6.3.8), extended (RFC 5258), with STATUS (RFC 5819) and SPECIAL-USE
// (RFC 6154).

#include <optional>
#include <string>
#include <vector>

#include "imap/list_pattern.hpp"
#include "imap/parser.hpp"
#include "imap/status_items.hpp"

namespace muhur::imap {

struct ListRequest {
  // Which names
  bool only_subscribed = false;
  bool recursive_match = false;  // and those that have matching children
  bool only_special_use = false;
  // What of them
  bool return_subscribed = false;
  std::vector<StatusItem> status;

  bool asks_for_root = false;         // LIST "" "": the separator
  std::vector<ListPattern> patterns;  // reference included, UTF-8; a pattern that is no text matches nothing
  std::size_t pattern_octets = 0;     // of all of them
  bool has_percent = false;           // one has a '%'
};

// What stands behind LIST, LSUB or XLIST; the latter two take the basic form only. nullopt: syntax.
std::optional<ListRequest> parse_list(Parser& parser, bool extended);

}  // namespace muhur::imap

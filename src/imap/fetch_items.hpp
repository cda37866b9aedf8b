#pragma once
// What a FETCH asks for (RFC 3501 §6.4.5, RFC 7162 §3.1.4), parsed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "imap/parser.hpp"

namespace muhur::imap {

// What stands in the brackets of BODY[…].
struct Section {
  enum class Kind { whole, header, header_fields, header_fields_not, text, mime };
  std::vector<std::uint32_t> part;
  Kind kind = Kind::whole;
  std::vector<std::string> fields;
};

struct FetchItem {
  enum class Kind {
    flags,
    internal_date,
    size,
    envelope,
    body,
    body_structure,
    modseq,
    octets,  // BODY[…], RFC822, RFC822.HEADER, RFC822.TEXT
  };
  Kind kind = Kind::flags;
  Section section;                      // of octets
  std::string label;                    // how the response names it: "BODY[1.TEXT]<0>"
  std::optional<std::uint64_t> offset;  // of a partial fetch
  std::uint64_t length = 0;
  bool sees = false;  // sets \Seen
};

struct FetchRequest {
  std::vector<FetchItem> items;  // UID aside
  bool uid = false;
  std::optional<std::uint64_t> changed_since;

  bool wants(FetchItem::Kind kind) const;
  bool wants_structure() const;  // where the parts are, or what the envelope says
  bool sees() const;
};

// Items (one, a list, or a macro) and modifiers. nullopt: syntax error.
std::optional<FetchRequest> parse_fetch(Parser& parser);

}  // namespace muhur::imap

#pragma once
// Sets of message numbers or UIDs (RFC 3501 §9 sequence-set) and their printed form.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mailbox/types.hpp"

namespace muhur::imap {

struct SequenceSet {
  static constexpr std::uint32_t kStar = 0;  // '*': the last one there is
  struct Range {
    std::uint32_t first, last;
  };
  std::vector<Range> ranges;  // as written

  bool has_star() const;
  // Ascending, disjoint, '*' replaced by `star`; "N:*" is "*:N" and always holds the last one. With
  // star == 0 (nothing is there) ranges with '*' select nothing.
  mailbox::UidSet normalized(std::uint32_t star) const;
};

// nullopt: syntax, or a zero.
std::optional<SequenceSet> parse_sequence_set(std::string_view text);

// "1:4,7,9:10" of ascending numbers; empty for none.
void append_set(std::string& out, std::span<const std::uint32_t> ascending);

bool contains(const mailbox::UidSet& set, std::uint32_t number);

}  // namespace muhur::imap

#pragma once
// LIST's wildcards: '*' any octets, '%' any but the hierarchy separator (RFC 3501 §6.3.8).

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muhur::imap {

inline constexpr char kSeparator = '/';

// A pattern made ready for many paths. All places where it may stand after each octet of a path are held as
// bits, 64 at a time: wildcards cost nothing, and time grows with path × pattern / 64.
class ListPattern {
 public:
  explicit ListPattern(std::string_view written);
  // INBOX matches in any case.
  bool matches(std::string_view path) const;

 private:
  using Bits = std::vector<std::uint64_t>;
  bool matches_exactly(std::string_view path) const;
  bool advance(Bits& places, char octet) const;

  std::string text_;                // runs of wildcards as one
  Bits stars_, percents_;           // where in text_ they stand
  std::array<Bits, 256> literals_;  // where each other octet stands; empty: nowhere
};

inline bool matches(std::string_view pattern, std::string_view path) {
  return ListPattern(pattern).matches(path);
}

}  // namespace muhur::imap

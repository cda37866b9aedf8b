#pragma once
// The boundaries of the multiparts that are open. Private to mime/.
//
// A line belongs to a boundary when it begins with it (RFC 2046 §5.1.1 asks for no more); of several the
// longest wins, and of equal ones the innermost. A boundary that is the whole line, or all but a closing
// "--", wins over longer ones found farther out. These are Dovecot's rules.
//
// Kept as a tree of characters, so that a line costs its own length and not one comparison for each open
// boundary, however many there are.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muhur::mime {

class Boundaries {
 public:
  static constexpr std::size_t kMaxLength = 80;  // RFC 2046 allows 70; longer ones are cut
  // How much of a line find() needs after its "--": a boundary and a closing "--".
  static constexpr std::size_t kNeeded = kMaxLength + 2;

  struct Match {
    std::uint32_t part;
    std::size_t length;  // of the boundary
  };

  bool empty() const { return open_.empty(); }
  std::uint32_t innermost() const { return open_.back().part; }  // REQUIRES: !empty()

  // Opens one inside of those that are open.
  void push(std::string_view boundary, std::uint32_t part);
  // Closes the innermost. REQUIRES: !empty()
  void pop();

  // `line`: what follows "--", at least its first kNeeded octets; `length`: of all of it without its line
  // break; `complete`: the line break was seen.
  std::optional<Match> find(std::string_view line, std::size_t length, bool complete) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Node {
    char character = 0;
    std::uint32_t first_child = kNone, next_sibling = kNone;
    std::uint32_t innermost = kNone;  // index into open_ of the innermost boundary that ends here
  };
  struct Open {
    std::uint32_t part, length;
    std::uint32_t node;
    std::uint32_t shadowed;      // the same boundary farther out
    std::uint32_t nodes_before;  // size of nodes_ before this one was pushed
    std::uint32_t attached_to;   // the older node that its first new node hangs on
  };
  std::uint32_t child(std::uint32_t node, char character) const;

  std::vector<Node> nodes_{Node{}};  // [0] is the root: the empty boundary
  std::vector<Open> open_;
};

}  // namespace muhur::mime

#include "mime/boundaries.hpp"

namespace muhur::mime {

std::uint32_t Boundaries::child(std::uint32_t node, char character) const {
  std::uint32_t at = nodes_[node].first_child;
  while (at != kNone && nodes_[at].character != character) at = nodes_[at].next_sibling;
  return at;
}

void Boundaries::push(std::string_view boundary, std::uint32_t part) {
  boundary = boundary.substr(0, kMaxLength);
  Open open{.part = part,
            .length = static_cast<std::uint32_t>(boundary.size()),
            .node = 0,
            .shadowed = kNone,
            .nodes_before = static_cast<std::uint32_t>(nodes_.size()),
            .attached_to = kNone};
  std::uint32_t at = 0;
  for (const char character : boundary) {
    std::uint32_t next = child(at, character);
    if (next == kNone) {
      next = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(Node{.character = character, .next_sibling = nodes_[at].first_child});
      nodes_[at].first_child = next;
      if (open.attached_to == kNone) open.attached_to = at;
    }
    at = next;
  }
  open.node = at;
  open.shadowed = nodes_[at].innermost;
  nodes_[at].innermost = static_cast<std::uint32_t>(open_.size());
  open_.push_back(open);
}

void Boundaries::pop() {
  const Open open = open_.back();
  open_.pop_back();
  nodes_[open.node].innermost = open.shadowed;
  // What came later is gone already, so the nodes that came with this one are the last, and the first of
  // them is its parent's first child.
  if (open.attached_to == kNone) return;
  nodes_[open.attached_to].first_child = nodes_[open.nodes_before].next_sibling;
  nodes_.resize(open.nodes_before);
}

std::optional<Boundaries::Match> Boundaries::find(std::string_view line, std::size_t length,
                                                  bool complete) const {
  // The innermost boundary of each length that the line begins with.
  std::array<std::uint32_t, kMaxLength + 1> candidates{};
  std::size_t count = 0;
  std::uint32_t node = 0;
  for (std::size_t i = 0;; ++i) {
    if (nodes_[node].innermost != kNone) candidates[count++] = nodes_[node].innermost;
    if (i >= std::min(line.size(), length)) break;
    node = child(node, line[i]);
    if (node == kNone) break;
  }
  if (count == 0) return std::nullopt;

  const bool dashes =
      complete && length > 2 && length <= line.size() && line[length - 1] == '-' && line[length - 2] == '-';
  std::sort(candidates.begin(), candidates.begin() + count, std::greater<>());
  const Open* best = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    const Open& open = open_[candidates[i]];
    if (best && best->length >= open.length) continue;
    best = &open;
    if (open.length == length || (dashes && open.length + 2 == length)) break;
  }
  return Match{best->part, best->length};
}

}  // namespace muhur::mime

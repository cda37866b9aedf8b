#include "mime/structure.hpp"

namespace muhur::mime {

const Envelope* Structure::inner_envelope(std::uint32_t part) const {
  const auto at =
      std::lower_bound(inner_envelopes.begin(), inner_envelopes.end(), part,
                       [](const auto& entry, std::uint32_t index) { return entry.first < index; });
  return at != inner_envelopes.end() && at->first == part ? &at->second : nullptr;
}

std::optional<std::uint32_t> part_at(const Structure& structure, const std::vector<std::uint32_t>& section) {
  if (structure.parts.empty() || section.empty()) return std::nullopt;
  // `at` is the part whose inside the next number counts: a multipart, or what stands alone in its message.
  std::uint32_t at = 0;
  bool alone = true;  // `at` is the root of a message and has no number of its own yet
  for (const std::uint32_t number : section) {
    if (number == 0) return std::nullopt;
    const Part* part = &structure.parts[at];
    if (!alone && part->kind == Part::Kind::message) {
      if (part->children.empty()) return std::nullopt;
      at = part->children.front();
      part = &structure.parts[at];
      alone = true;
    }
    if (part->kind == Part::Kind::multipart) {
      if (number > part->children.size()) return std::nullopt;
      at = part->children[number - 1];
    } else if (!alone || number != 1) {
      return std::nullopt;
    }
    alone = false;
  }
  return at;
}

}  // namespace muhur::mime

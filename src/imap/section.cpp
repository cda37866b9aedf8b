#include "imap/section.hpp"

#include <algorithm>

#include "base/unicode.hpp"
#include "mime/header.hpp"

namespace muhur::imap {

std::optional<OctetRange> range_of(const Section& section, const mime::Structure& structure,
                                   std::uint64_t message) {
  using Kind = Section::Kind;
  if (section.part.empty() && section.kind == Kind::whole) return OctetRange{0, message};
  if (structure.parts.empty()) return std::nullopt;

  std::uint32_t index = 0;
  if (!section.part.empty()) {
    const auto found = mime::part_at(structure, section.part);
    if (!found) return std::nullopt;
    index = *found;
    const mime::Part& part = structure.parts[index];
    if (section.kind == Kind::whole) return OctetRange{part.body_start, part.body_size};
    if (section.kind == Kind::mime) return OctetRange{part.header_start, part.header_size};
    // HEADER and TEXT belong to messages: here, to the one inside.
    if (part.kind != mime::Part::Kind::message || part.children.empty()) return std::nullopt;
    index = part.children.front();
  }
  const mime::Part& root = structure.parts[index];
  if (section.kind == Kind::text) return OctetRange{root.body_start, root.body_size};
  return OctetRange{root.header_start, root.header_size};
}

std::string select_fields(std::string_view block, const Section& section) {
  const bool named = section.kind == Section::Kind::header_fields;
  std::string out;
  for (const auto& field : mime::fields(block)) {
    const auto same = [&](const std::string& name) { return equals_ignoring_case(name, field.name); };
    if (std::ranges::any_of(section.fields, same) != named) continue;
    out.append(field.whole);
    if (!out.ends_with('\n')) out.append("\r\n");
  }
  if (block.ends_with("\r\n\r\n") || block == "\r\n") out.append("\r\n");
  return out;
}

}  // namespace muhur::imap

#pragma once
// Which octets of the stored message a BODY[…] section is (RFC 3501 §6.4.5).

#include <optional>
#include <string>
#include <string_view>

#include "imap/fetch_items.hpp"
#include "mime/structure.hpp"

namespace muhur::imap {

struct OctetRange {
  std::uint64_t offset = 0, size = 0;
};

// The range of the section; for header_fields(_not) that of the whole header, of which select_fields()
// then takes a part. nullopt: the message has no such section.
std::optional<OctetRange> range_of(const Section& section, const mime::Structure& structure,
                                   std::uint64_t message);

// The named fields of a header block (or all but them), in their order and as they stand, with the empty
// line at the end if the block has one.
std::string select_fields(std::string_view block, const Section& section);

}  // namespace muhur::imap

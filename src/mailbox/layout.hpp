#pragma once
// Where the bytes of a message lie. A message is
//   head (its first bytes: the header block, at most one chunk) | segments, one after another
// and a segment's bytes are either the email's own (they follow each other in its chunks) or an
// attachment that several emails may share. Without a stored layout there is one own segment.
//
//   layout = version u8 (1) | count varint | count × (attachment id varint, 0 = own | length varint)

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"

namespace muhur::mailbox {

using AttachmentId = std::int64_t;

struct Segment {
  AttachmentId attachment = 0;  // 0: the email's own bytes
  std::uint64_t length = 0;
  bool operator==(const Segment&) const = default;
};
using Layout = std::vector<Segment>;

Bytes encode_layout(const Layout& layout);
// nullopt: damaged, or the lengths are not `total` together.
std::optional<Layout> decode_layout(ByteView bytes, std::uint64_t total);

}  // namespace muhur::mailbox

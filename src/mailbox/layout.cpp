#include "mailbox/layout.hpp"

#include <limits>

#include "mailbox/coding.hpp"

namespace muhur::mailbox {

namespace {
constexpr std::uint8_t kVersion = 1;
}

Bytes encode_layout(const Layout& layout) {
  Writer writer;
  writer.u8(kVersion);
  writer.varint(layout.size());
  for (const Segment& segment : layout) {
    writer.varint(static_cast<std::uint64_t>(segment.attachment));
    writer.varint(segment.length);
  }
  return writer.take();
}

std::optional<Layout> decode_layout(ByteView bytes, std::uint64_t total) {
  Reader reader(bytes);
  if (reader.u8() != kVersion) return std::nullopt;
  Layout layout(reader.count(2));
  std::uint64_t left = total;
  for (Segment& segment : layout) {
    segment.attachment = static_cast<AttachmentId>(reader.varint(std::numeric_limits<AttachmentId>::max()));
    segment.length = reader.varint(left);
    left -= segment.length;
  }
  if (!reader.done() || left != 0) return std::nullopt;
  return layout;
}

}  // namespace muhur::mailbox

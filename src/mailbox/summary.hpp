#pragma once
// Envelope and body structure as they are stored: made once, at arrival (drawn in summary.cpp).

#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "mime/structure.hpp"

namespace muhur::mailbox {

Bytes encode_summary(const mime::Structure& structure);

// nullopt: damaged, of an unknown version, or with offsets beyond `message_size`. Bounded by the size of
// `bytes`; the tree that comes back is sound (parents before children, kinds agree with children).
std::optional<mime::Structure> decode_summary(ByteView bytes, std::uint64_t message_size);
// The envelope alone, which stands first.
std::optional<mime::Envelope> decode_envelope(ByteView bytes);

}  // namespace muhur::mailbox

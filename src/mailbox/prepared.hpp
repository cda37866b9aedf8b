#pragma once
// What an append computes before it comes to the writer, on the caller's thread: the bytes with CRLF line
// ends, the structure, the search text, everything packed. The writer only writes rows.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crypto/mac.hpp"
#include "mailbox/layout.hpp"
#include "mime/structure.hpp"

namespace muhur::mailbox {

// Leaf parts of at least this many bytes are stored as attachments, which emails share.
inline constexpr std::uint64_t kSharedPart = 32 * 1024;

struct PreparedAttachment {
  crypto::Digest hash{};
  ByteView plain;             // within the email's bytes
  std::vector<Bytes> chunks;  // packed; none when the mailbox seems to have it already
};

struct PreparedEmail {
  std::unique_ptr<const std::string> normalised;  // null: the given bytes had CRLF line ends already
  std::string_view given;
  std::string_view bytes() const { return normalised ? std::string_view(*normalised) : given; }

  std::optional<std::int64_t> sent_day;  // of the Date field, days since 1970, zone disregarded
  std::size_t head_size = 0;
  Layout layout;  // an attachment's id is its place in `attachments` plus one
  std::vector<PreparedAttachment> attachments;
  Bytes summary, head, text;
  std::vector<Bytes> chunks;  // the email's own bytes after the head, packed
};

// `message` must live as long as the result. `is_known` says whether the mailbox has an attachment of that
// hash: then it is not compressed again.
PreparedEmail prepare(std::string_view message, ByteView hash_key,
                      const std::function<bool(const crypto::Digest&)>& is_known);

// Bare LF becomes CRLF; a CR alone, NUL and all other bytes stay. nullopt: nothing had to change.
std::optional<std::string> with_crlf(std::string_view message);

std::vector<Bytes> pack_chunks(ByteView plain);

// Days since 1970 of a moment as a clock of that zone shows it.
std::int64_t day_of(std::int64_t seconds, int zone_minutes);

}  // namespace muhur::mailbox

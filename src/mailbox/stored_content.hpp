#pragma once
// The bytes of one email as they lie in the tables, read piece by piece: each read decompresses only the
// chunks it touches and keeps the last few. The connection is given to each call: between calls no
// transaction is held. One thread at a time.

#include <array>
#include <optional>
#include <string>

#include "mailbox/chunks.hpp"
#include "mailbox/layout.hpp"
#include "mailbox/types.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

class StoredContent {
 public:
  // not_found: it was expunged. corrupt.
  static Result<StoredContent> load(vault::Connection& connection, EmailId email);

  std::uint64_t size() const { return size_; }
  // The head is the whole header block, unless that is longer than a chunk.
  std::size_t head_size() const { return head_size_; }
  // True when a read of this range needs no connection: what it touches is in memory.
  bool is_at_hand(std::uint64_t offset, std::uint64_t size) const;
  // Up to `size` bytes from `offset`; shorter only at the end. `connection` may be null when is_at_hand().
  Result<std::string> read(vault::Connection* connection, std::uint64_t offset, std::uint64_t size);

 private:
  struct CachedChunk {
    ChunkOwner kind = ChunkOwner::email;
    std::int64_t owner = 0;  // 0: free
    std::uint64_t number = 0;
    std::string plain;
  };
  StoredContent() = default;
  Result<void> unpack_small(vault::Connection& connection, ByteView head, std::optional<ByteView> body);
  Result<void> append_stream(vault::Connection& connection, std::string& out, const Segment& segment,
                             std::uint64_t stream_size, std::uint64_t from, std::uint64_t count);
  Result<const std::string*> chunk(vault::Connection& connection, ChunkOwner kind, std::int64_t owner,
                                   std::uint64_t number, std::size_t plain_size);
  Result<std::string> load_body(vault::Connection& connection);

  EmailId email_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t own_size_ = 0;  // the email's own bytes after the head
  std::size_t head_size_ = 0;
  std::string head_;
  std::optional<std::string> body_;  // the own bytes of a small message, read with the row
  Layout layout_;
  std::array<CachedChunk, 4> cache_;
  std::size_t next_slot_ = 0;
};

}  // namespace muhur::mailbox

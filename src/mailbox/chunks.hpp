#pragma once
// Chunks of an email or an attachment, each a row of its own under the id
//   owner id << 20 | number of the chunk
// so that they lie one after another in one b-tree without a second index.

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

inline constexpr int kChunkBits = 20;  // 2^20 chunks of 64 KiB: 64 GiB
enum class ChunkOwner { email, attachment };

Result<void> insert_chunks(vault::Connection& connection, ChunkOwner kind, std::int64_t owner,
                           const std::vector<Bytes>& packed);
Result<void> remove_chunks(vault::Connection& connection, ChunkOwner kind, std::int64_t owner);
// The plain bytes of one. not_found: it was expunged meanwhile. corrupt: not `plain_size` bytes.
Result<std::string> read_chunk(vault::Connection& connection, ChunkOwner kind, std::int64_t owner,
                               std::uint64_t number, std::size_t plain_size);

}  // namespace muhur::mailbox

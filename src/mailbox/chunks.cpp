#include "mailbox/chunks.hpp"

#include "mailbox/damaged.hpp"
#include "mailbox/packed.hpp"

namespace muhur::mailbox {
namespace {

std::int64_t chunk_id(std::int64_t owner, std::uint64_t number) {
  return (owner << kChunkBits) | static_cast<std::int64_t>(number);
}

}  // namespace

Result<void> insert_chunks(vault::Connection& connection, ChunkOwner kind, std::int64_t owner,
                           const std::vector<Bytes>& packed) {
  if (packed.size() >= (1u << kChunkBits)) return fail(Code::limit, "The message is larger than 64 GiB");
  MUHUR_TRY(auto st, connection.prepare(kind == ChunkOwner::email
                                            ? "INSERT INTO email_chunks (id, data) VALUES (?, ?)"
                                            : "INSERT INTO attachment_chunks (id, data) VALUES (?, ?)"));
  for (std::size_t i = 0; i < packed.size(); ++i) {
    st.bind(chunk_id(owner, i), packed[i]);
    MUHUR_CHECK(st.run());
    st.reset();
  }
  return {};
}

Result<void> remove_chunks(vault::Connection& connection, ChunkOwner kind, std::int64_t owner) {
  return connection.run(kind == ChunkOwner::email ? "DELETE FROM email_chunks WHERE id BETWEEN ? AND ?"
                                                  : "DELETE FROM attachment_chunks WHERE id BETWEEN ? AND ?",
                        chunk_id(owner, 0), chunk_id(owner + 1, 0) - 1);
}

Result<std::string> read_chunk(vault::Connection& connection, ChunkOwner kind, std::int64_t owner,
                               std::uint64_t number, std::size_t plain_size) {
  MUHUR_TRY(auto st, connection.prepare(kind == ChunkOwner::email
                                            ? "SELECT data FROM email_chunks WHERE id = ?"
                                            : "SELECT data FROM attachment_chunks WHERE id = ?"));
  st.bind(chunk_id(owner, number));
  MUHUR_TRY(const bool row, st.step());
  if (!row) return fail(Code::not_found, "The message is gone");
  auto plain = unpack(st.blob(0), kChunk);
  if (!plain || plain->size() != plain_size) return damaged(connection, "A message");
  return std::move(*plain);
}

}  // namespace muhur::mailbox

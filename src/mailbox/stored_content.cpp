#include "mailbox/stored_content.hpp"

#include <algorithm>

#include "mailbox/damaged.hpp"
#include "mailbox/packed.hpp"

namespace muhur::mailbox {

// Up to this size the body is read with the row: it costs a page or two. Beyond, a reader of headers
// must not pay for bodies.
#define MUHUR_SMALL "16384"

Result<StoredContent> StoredContent::load(vault::Connection& connection, EmailId email) {
  MUHUR_TRY(auto st,
            connection.prepare("SELECT size, head_size, layout, head, "
                               "CASE WHEN size <= " MUHUR_SMALL " THEN body END FROM emails WHERE id = ?"));
  st.bind(email);
  MUHUR_TRY(const bool row, st.step());
  if (!row) return fail(Code::not_found, "The message is gone");
  StoredContent content;
  content.email_ = email;
  content.size_ = st.as<std::uint64_t>(0);
  content.head_size_ = st.as<std::size_t>(1);
  if (content.size_ > INT64_MAX || content.head_size_ > std::min<std::uint64_t>(kChunk, content.size_))
    return damaged(connection, "A message");
  const std::uint64_t rest = content.size_ - content.head_size_;
  if (st.is_null(2)) {
    if (rest > 0) content.layout_.push_back({.attachment = 0, .length = rest});
  } else {
    auto layout = decode_layout(st.blob(2), rest);
    if (!layout) return damaged(connection, "A message");
    content.layout_ = std::move(*layout);
  }
  for (const Segment& segment : content.layout_)
    if (segment.attachment == 0) content.own_size_ += segment.length;
  MUHUR_CHECK(content.unpack_small(connection, st.blob(3),
                                   st.is_null(4) ? std::nullopt : std::optional<ByteView>(st.blob(4))));
  return content;
}

Result<void> StoredContent::unpack_small(vault::Connection& connection, ByteView head,
                                         std::optional<ByteView> body) {
  auto plain = unpack(head, kChunk);
  if (!plain || plain->size() != head_size_) return damaged(connection, "A message");
  head_ = std::move(*plain);
  if (!body) return {};
  body_ = unpack(*body, kChunk);
  if (!body_ || body_->size() != own_size_) return damaged(connection, "A message");
  return {};
}

bool StoredContent::is_at_hand(std::uint64_t offset, std::uint64_t size) const {
  if (offset >= size_ || (body_ && own_size_ == size_ - head_size_)) return true;
  return std::min(size, size_ - offset) + offset <= head_size_;
}

Result<std::string> StoredContent::load_body(vault::Connection& connection) {
  MUHUR_TRY(auto st, connection.prepare("SELECT body FROM emails WHERE id = ?"));
  st.bind(email_);
  MUHUR_TRY(const bool row, st.step());
  if (!row) return fail(Code::not_found, "The message is gone");
  auto plain = unpack(st.blob(0), kChunk);
  if (!plain || plain->size() != own_size_) return damaged(connection, "A message");
  return std::move(*plain);
}

Result<const std::string*> StoredContent::chunk(vault::Connection& connection, ChunkOwner kind,
                                                std::int64_t owner, std::uint64_t number,
                                                std::size_t plain_size) {
  for (const CachedChunk& cached : cache_)
    if (cached.owner == owner && cached.kind == kind && cached.number == number && owner != 0)
      return &cached.plain;
  MUHUR_TRY(std::string plain, read_chunk(connection, kind, owner, number, plain_size));
  CachedChunk& slot = cache_[next_slot_++ % cache_.size()];
  slot = {kind, owner, number, std::move(plain)};
  return &slot.plain;
}

// `count` bytes from `from` of the stream that the segment's bytes are of: the email's own or an attachment.
Result<void> StoredContent::append_stream(vault::Connection& connection, std::string& out,
                                          const Segment& segment, std::uint64_t stream_size,
                                          std::uint64_t from, std::uint64_t count) {
  const bool own = segment.attachment == 0;
  if (own && own_size_ <= kChunk) {
    if (!body_) {
      MUHUR_TRY(body_, load_body(connection));
    }
    out.append(*body_, from, count);
    return {};
  }
  while (count > 0) {
    const std::uint64_t number = from / kChunk, within = from % kChunk;
    const std::size_t plain_size = std::min<std::uint64_t>(kChunk, stream_size - number * kChunk);
    MUHUR_TRY(const std::string* plain, chunk(connection, own ? ChunkOwner::email : ChunkOwner::attachment,
                                              own ? email_ : segment.attachment, number, plain_size));
    const std::uint64_t here = std::min<std::uint64_t>(count, plain->size() - within);
    out.append(*plain, within, here);
    from += here;
    count -= here;
  }
  return {};
}

Result<std::string> StoredContent::read(vault::Connection* connection, std::uint64_t offset,
                                        std::uint64_t size) {
  std::string out;
  if (offset >= size_) return out;
  const std::uint64_t end = offset + std::min(size, size_ - offset);
  out.reserve(end - offset);
  if (offset < head_size_) out.append(head_, offset, std::min<std::uint64_t>(end, head_size_) - offset);
  std::uint64_t start = head_size_, own = 0;
  for (const Segment& segment : layout_) {
    const std::uint64_t low = std::max(start, offset), high = std::min(start + segment.length, end);
    if (low < high) {
      const std::uint64_t within = low - start;
      if (segment.attachment == 0 && body_) {
        out.append(*body_, own + within, high - low);
      } else {
        if (!connection) return fail(Code::internal, "A read needs a connection");
        MUHUR_CHECK(append_stream(*connection, out, segment,
                                  segment.attachment == 0 ? own_size_ : segment.length,
                                  segment.attachment == 0 ? own + within : within, high - low));
      }
    }
    start += segment.length;
    if (segment.attachment == 0) own += segment.length;
  }
  return out;
}

}  // namespace muhur::mailbox

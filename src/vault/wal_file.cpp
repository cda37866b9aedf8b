// SQLite computes frame checksums over the plaintext pages it holds; on disk they have to be over ciphertext,
// or recovery by any tool would stop at the first frame. So an append is caught in its two halves (frame
// header, then page) and gets its checksum here. The patterns of writes, from SQLite's wal.c:
//
//   header(32 at 0)                   a new or restarted log
//   frame header(24), page            an append; all of salt and checksum zero when the checksums of this
//                                     transaction will be rewritten at its end
//   page alone                        a page already in the log of this transaction changed again
//   read frame(24 + page), header(24) the rewrite of checksums: SQLite has summed the ciphertext it just
//                                     read, so its header is right as it is
// Anything else is refused.
#include "vault/wal_file.hpp"

#include "vault/figures.hpp"
#include "vault/wal_format.hpp"

namespace muhur::vault {
namespace {

constexpr std::size_t kBufferLimit = 1 << 20;    // written out beyond this, commit or not
constexpr std::size_t kLargestWrite = 64 << 10;  // SQLite's unix VFS fails with 128 KiB and more at once
constexpr std::size_t kBufferKept = 128 << 10;   // memory kept between transactions
constexpr sqlite3_int64 kAhead = 64 << 10;       // read at once by a checkpoint
constexpr int kPageSizeAt = 8;
static_assert(kFrameHeader == 24);

bool all_zero(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](Byte b) { return b == 0; });
}

}  // namespace

WalFile::Part WalFile::part_at(sqlite3_int64 offset, int amount) {
  if (offset == 0 && amount == kWalHeader) return Part::header;
  const std::uint32_t page = codec_->page_size();
  if (page == 0 || offset < kWalHeaderSum) return Part::other;
  if (offset == kWalHeaderSum && amount == 8) return Part::sum;
  if (offset < kWalHeader) return Part::other;
  const auto within = static_cast<int>((offset - kWalHeader) % frame_size());
  if (within == 0 && amount == kFrameHeader) return Part::frame_header;
  if (within == 0 && amount == frame_size()) return Part::frame;
  if (within == kFrameHeader && amount == static_cast<int>(page)) return Part::page;
  if (within == kFrameSum && amount == 8) return Part::sum;
  return Part::other;
}

int WalFile::write(const void* from, int amount, sqlite3_int64 offset) {
  const auto* const bytes = static_cast<const Byte*>(from);
  switch (part_at(offset, amount)) {
    case Part::header:
      return write_header(bytes);
    case Part::frame_header:
      return write_frame_header(bytes, offset);
    case Part::page: {
      raw_at_ = -1;
      const sqlite3_int64 at = offset - kFrameHeader;
      return std::exchange(header_at_, -1) == at ? append(bytes, at) : rewrite(bytes, at);
    }
    default:
      return refuse(SQLITE_IOERR_WRITE, "a write to the WAL that is neither header, frame nor page");
  }
}

int WalFile::write_header(const Byte* header) {
  const std::uint32_t page = load_be32(header + kPageSizeAt);
  if ((load_be32(header) & ~1u) != kWalMagic || !is_page_size(page))
    return refuse(SQLITE_IOERR_WRITE, "not a WAL header");
  if (codec_->page_size() == 0) codec_->set_page_size(page);
  if (codec_->page_size() != page)
    return refuse(SQLITE_IOERR_WRITE, "a WAL of another page size than the database");
  // What is still in the buffer belongs to a transaction that was rolled back.
  buffered_ = 0;
  std::memcpy(extend(kWalHeader), header, kWalHeader);
  buffer_start_ = 0;
  header_at_ = raw_at_ = -1;
  std::vector<Byte>().swap(ahead_);
  ahead_size_ = 0;
  codec_->tail = {.known = true,
                  .end = kWalHeader,
                  .sum = {load_be32(header + kWalHeaderSum), load_be32(header + kWalHeaderSum + 4)},
                  .big_endian = (load_be32(header) & 1) != 0};
  return SQLITE_OK;
}

int WalFile::write_frame_header(const Byte* header, sqlite3_int64 at) {
  WalTail now;
  if (std::exchange(raw_at_, -1) == at && is_checksum_rewrite(header, at, now)) {
    codec_->tail.known = false;
    const int rc = base_->pMethods->xWrite(base_, header, kFrameHeader, at);
    if (rc == SQLITE_OK) codec_->tail = now;
    return rc;
  }
  header_at_ = at;
  std::memcpy(header_, header, kFrameHeader);
  return SQLITE_OK;
}

// A header written after its frame was read may also be an append over a stale or torn frame that recovery
// has looked at: only the checksum tells. `tail` becomes what it is after this frame.
bool WalFile::is_checksum_rewrite(const Byte* header, sqlite3_int64 at, WalTail& tail) {
  if (std::memcmp(header, raw_.data(), 8) != 0) return false;
  tail = codec_->tail;
  if ((!tail.known || tail.end != at) && find_tail(at, tail) != SQLITE_OK) return false;
  wal_checksum(tail.big_endian, {header, 8}, tail.sum);
  wal_checksum(tail.big_endian, ByteView(raw_).subspan(kFrameHeader), tail.sum);
  tail.end = at + frame_size();
  return load_be32(header + kFrameSum) == tail.sum[0] && load_be32(header + kFrameSum + 4) == tail.sum[1];
}

int WalFile::read_back(void* out, int amount, sqlite3_int64 offset) {
  if (offset >= buffer_start_ && offset + amount <= buffer_end()) {
    std::memcpy(out, buffer_.data() + (offset - buffer_start_), static_cast<std::size_t>(amount));
    return SQLITE_OK;
  }
  return base_read(out, amount, offset);
}

// The checksum in the frame (or header) before `at`.
int WalFile::find_tail(sqlite3_int64 at, WalTail& tail) {
  Byte magic[4];
  Byte sum[8];
  const sqlite3_int64 from = at == kWalHeader ? kWalHeaderSum : at - frame_size() + kFrameSum;
  if (read_back(magic, sizeof magic, 0) != SQLITE_OK || read_back(sum, sizeof sum, from) != SQLITE_OK ||
      (load_be32(magic) & ~1u) != kWalMagic)
    return refuse(SQLITE_IOERR_WRITE, "no frame in the WAL before the one to append");
  tail = {.known = true,
          .end = at,
          .sum = {load_be32(sum), load_be32(sum + 4)},
          .big_endian = (load_be32(magic) & 1) != 0};
  return SQLITE_OK;
}

// Frames up to the WAL-index's mxFrame belong to readers.
bool WalFile::is_committed(sqlite3_int64 at) const {
  if (!codec_->wal_index) return false;
  std::uint32_t committed;
  const volatile Byte* const from = codec_->wal_index + kIndexMaxFrame;
  Byte copy[4] = {from[0], from[1], from[2], from[3]};
  std::memcpy(&committed, copy, sizeof committed);
  const auto frame = (at - kWalHeader) / (kFrameHeader + codec_->page_size()) + 1;
  return frame <= committed;
}

// Makes the buffer end at `at`.
int WalFile::make_room(sqlite3_int64 at) {
  if (buffered_ > 0 && at != buffer_end()) {
    if (at >= buffer_start_ && at < buffer_end())  // what is behind was rolled back
      buffered_ = static_cast<std::size_t>(at - buffer_start_);
    else if (const int rc = flush(); rc != SQLITE_OK)
      return rc;
  }
  if (buffered_ == 0) buffer_start_ = at;
  return SQLITE_OK;
}

// `size` more bytes at the buffer's end, to be written by the caller.
Byte* WalFile::extend(std::size_t size) {
  const std::size_t before = buffered_;
  buffered_ += size;
  if (buffer_.size() < buffered_) buffer_.resize(std::max(buffered_, 2 * buffer_.size()));
  return buffer_.data() + before;
}

int WalFile::append(const Byte* plain, sqlite3_int64 at) {
  const std::uint32_t page = load_be32(header_);
  const bool commits = load_be32(header_ + 4) != 0;
  const bool summed_later = all_zero({header_ + 8, 16});
  if (page == 0 || is_committed(at)) return refuse(SQLITE_IOERR_WRITE, "a WAL frame out of place");
  if (page == 1 && !codec_->may_write_first_page(plain))
    return refuse(SQLITE_IOERR_WRITE, "page 1 of another page size, or without the cipher's reserve");
  if (const int rc = make_room(at); rc != SQLITE_OK) return rc;
  WalTail& tail = codec_->tail;
  if (summed_later) tail.known = false;
  if (!summed_later && (!tail.known || tail.end != at)) {
    if (const int rc = find_tail(at, tail); rc != SQLITE_OK) return rc;
  }

  const std::size_t before = buffered_;
  Byte* const frame = extend(static_cast<std::size_t>(frame_size()));
  std::memcpy(frame, header_, kFrameHeader);
  if (const int rc = codec_->encrypt(page, plain, frame + kFrameHeader); rc != SQLITE_OK) {
    buffered_ = before;
    return rc;
  }
  counters.wal_frames.add();
  if (!summed_later) {
    wal_checksum(tail.big_endian, {frame, 8}, tail.sum);
    wal_checksum(tail.big_endian, {frame + kFrameHeader, codec_->page_size()}, tail.sum);
    store_be32(frame + kFrameSum, tail.sum[0]);
    store_be32(frame + kFrameSum + 4, tail.sum[1]);
    tail.end = at + frame_size();
  }
  return commits || buffered_ >= kBufferLimit ? flush() : SQLITE_OK;
}

int WalFile::rewrite(const Byte* plain, sqlite3_int64 at) {
  codec_->tail.known = false;
  const bool buffered = at >= buffer_start_ && at < buffer_end();
  Byte number[4];
  if (read_back(number, sizeof number, at) != SQLITE_OK)
    return refuse(SQLITE_IOERR_WRITE, "a page for a WAL frame that does not exist");
  const std::uint32_t page = load_be32(number);
  if (page == 0 || is_committed(at)) return refuse(SQLITE_IOERR_WRITE, "a WAL frame changed out of turn");
  if (page == 1 && !codec_->may_write_first_page(plain))
    return refuse(SQLITE_IOERR_WRITE, "page 1 of another page size, or without the cipher's reserve");
  if (buffered) return codec_->encrypt(page, plain, buffer_.data() + (at - buffer_start_) + kFrameHeader);
  Byte* const sealed = codec_->scratch(codec_->page_size());
  if (const int rc = codec_->encrypt(page, plain, sealed); rc != SQLITE_OK) return rc;
  return base_->pMethods->xWrite(base_, sealed, static_cast<int>(codec_->page_size()), at + kFrameHeader);
}

int WalFile::read(void* out, int amount, sqlite3_int64 offset) {
  if (buffered_ > 0 && offset < buffer_end() && offset + amount > buffer_start_) {
    if (const int rc = flush(); rc != SQLITE_OK) return rc;
  }
  const Part part = part_at(offset, amount);
  if (part == Part::page && !codec_->checkpointing) return read_page(out, offset - kFrameHeader);
  if (part == Part::other || part == Part::frame_header)
    return refuse(SQLITE_IOERR_READ, "a read of the WAL that is neither header, frame nor page");
  const int rc =
      part == Part::page ? read_for_checkpoint(out, amount, offset) : base_read(out, amount, offset);
  if (rc != SQLITE_OK) {
    std::memset(out, 0, static_cast<std::size_t>(amount));
    return rc;
  }
  const auto* const bytes = static_cast<const Byte*>(out);
  if (part == Part::frame) {
    raw_.assign(bytes, bytes + amount);
    raw_at_ = offset;
  } else if (part == Part::header && codec_->page_size() == 0 &&
             is_page_size(load_be32(bytes + kPageSizeAt))) {
    codec_->set_page_size(load_be32(bytes + kPageSizeAt));
  }
  return SQLITE_OK;
}

// A checkpoint asks for the pages in the order of the database. Where that is the log's order too, frames are
// read many at a time. Those that it asks for were committed before it began and stay as they are until it
// ends; what else was read is thrown away.
int WalFile::read_for_checkpoint(void* out, int amount, sqlite3_int64 offset) {
  if (ahead_of_ != codec_->checkpoints) {
    ahead_of_ = codec_->checkpoints;
    ahead_size_ = 0;
    ahead_expected_ = -1;
  }
  const bool in_order = std::exchange(ahead_expected_, offset + frame_size()) == offset;
  const bool is_there = offset >= ahead_at_ && offset + amount <= ahead_at_ + ahead_size_;
  if (!is_there) {
    const sqlite3_int64 wanted = kAhead / frame_size() * frame_size();
    if (!in_order || wanted == 0 || buffered_ > 0) return base_read(out, amount, offset);
    ahead_.resize(kAhead);
    ahead_at_ = offset;
    ahead_size_ = base_read(ahead_.data(), static_cast<int>(wanted), offset) == SQLITE_OK ? wanted : 0;
    if (ahead_size_ == 0) return base_read(out, amount, offset);  // near the end, or an error that it tells
  }
  std::memcpy(out, ahead_.data() + (offset - ahead_at_), static_cast<std::size_t>(amount));
  return SQLITE_OK;
}

int WalFile::read_page(void* out, sqlite3_int64 at) {
  const auto amount = static_cast<int>(frame_size());
  Byte* const frame = codec_->scratch(static_cast<std::size_t>(amount));
  int rc = base_read(frame, amount, at);
  if (rc == SQLITE_OK) rc = codec_->decrypt(load_be32(frame), frame + kFrameHeader, out);
  if (rc != SQLITE_OK) std::memset(out, 0, codec_->page_size());
  return rc;
}

int WalFile::flush() {
  int rc = SQLITE_OK;
  for (std::size_t at = 0; at < buffered_ && rc == SQLITE_OK; at += kLargestWrite) {
    const std::size_t now = std::min(buffered_ - at, kLargestWrite);
    rc = base_->pMethods->xWrite(base_, buffer_.data() + at, static_cast<int>(now),
                                 buffer_start_ + static_cast<sqlite3_int64>(at));
  }
  // On failure SQLite rolls the transaction back; its frames are dead either way.
  if (rc != SQLITE_OK) codec_->tail.known = false;
  buffered_ = 0;
  if (buffer_.size() > kBufferKept) std::vector<Byte>().swap(buffer_);
  return rc;
}

int WalFile::truncate(sqlite3_int64 size) {
  codec_->tail.known = false;
  raw_at_ = header_at_ = -1;
  if (const int rc = flush(); rc != SQLITE_OK) return rc;
  return base_->pMethods->xTruncate(base_, size);
}

int WalFile::sync(int flags) {
  if (const int rc = flush(); rc != SQLITE_OK) return rc;
  return base_->pMethods->xSync(base_, flags);
}

int WalFile::size(sqlite3_int64* out) {
  if (const int rc = flush(); rc != SQLITE_OK) return rc;
  return base_->pMethods->xFileSize(base_, out);
}

}  // namespace muhur::vault

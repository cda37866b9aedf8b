#pragma once
// The write-ahead log of an encrypted database: pages encrypted as in the main file, and frame checksums
// over that ciphertext (vault/wal_format.hpp). Frames gather in memory and go to the file in one write at
// the commit frame. Private to the vault.

#include <memory>
#include <vector>

#include "vault/file.hpp"
#include "vault/page_codec.hpp"

namespace muhur::vault {

class WalFile final : public File {
 public:
  WalFile(sqlite3_file* base, std::shared_ptr<PageCodec> codec) : File(base), codec_(std::move(codec)) {}

  int read(void* out, int amount, sqlite3_int64 offset) override;
  int write(const void* from, int amount, sqlite3_int64 offset) override;
  int truncate(sqlite3_int64 size) override;
  int sync(int flags) override;
  int size(sqlite3_int64* out) override;
  int characteristics() override { return encrypting_characteristics(); }

 private:
  enum class Part { header, frame_header, page, frame, sum, other };
  Part part_at(sqlite3_int64 offset, int amount);

  int write_header(const Byte* header);
  int write_frame_header(const Byte* header, sqlite3_int64 at);
  int append(const Byte* plain, sqlite3_int64 at);
  int rewrite(const Byte* plain, sqlite3_int64 at);
  int read_page(void* out, sqlite3_int64 at);
  int read_for_checkpoint(void* out, int amount, sqlite3_int64 offset);
  bool is_checksum_rewrite(const Byte* header, sqlite3_int64 at, WalTail& tail);
  bool is_committed(sqlite3_int64 at) const;
  int find_tail(sqlite3_int64 at, WalTail& tail);
  int read_back(void* out, int amount, sqlite3_int64 offset);  // from the buffer or the file
  int make_room(sqlite3_int64 at);
  Byte* extend(std::size_t size);
  int flush();

  sqlite3_int64 frame_size() { return kFrameHeaderSize + codec_->page_size(); }
  sqlite3_int64 buffer_end() const { return buffer_start_ + static_cast<sqlite3_int64>(buffered_); }
  int base_read(void* out, int amount, sqlite3_int64 offset) {
    return base_->pMethods->xRead(base_, out, amount, offset);
  }

  static constexpr int kFrameHeaderSize = 24;
  const std::shared_ptr<PageCodec> codec_;
  std::vector<Byte> buffer_;  // its first buffered_ bytes belong at buffer_start_ and are not in the file yet
  std::size_t buffered_ = 0;
  sqlite3_int64 buffer_start_ = 0;
  sqlite3_int64 header_at_ = -1;  // of the frame header that waits for its page; -1: none waits
  Byte header_[kFrameHeaderSize] = {};
  sqlite3_int64 raw_at_ = -1;  // of the frame last read whole, kept to tell a checksum's rewrite; -1: none
  std::vector<Byte> raw_;
  // What a checkpoint will ask for next, if it goes on as it does: ahead_size_ bytes from ahead_at_.
  std::vector<Byte> ahead_;
  sqlite3_int64 ahead_at_ = 0;
  sqlite3_int64 ahead_size_ = 0;
  std::uint64_t ahead_of_ = 0;         // the checkpoint it belongs to
  sqlite3_int64 ahead_expected_ = -1;  // where the next page would be
};

}  // namespace muhur::vault

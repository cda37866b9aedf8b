// block(4096) := AES-256-CTR(key, serial, plaintext)       or ChaCha20 where the CPU has no AES
//
// `serial` counts every write of a block in this file, so a key never meets the same nonce twice, however
// often a block is written, cut off or written again. The serial of each block stays in memory: after the
// process nobody can read the file. There is no tag: who could change the file of a running process, already
// unlinked, could change the process.
//
// What is smaller than a block goes through one block kept in plain, so that a run of small writes
// (a statement journal's records) costs one encryption a block and not one a write. Blocks that follow each
// other, as the sorter writes them, wait encrypted until they make one write of the file below.
#include "vault/temp_file.hpp"

#include <openssl/evp.h>

#include "vault/figures.hpp"
#include "vault/page_codec.hpp"

namespace muhur::vault {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kRun = 16;  // blocks in one read or write of the file below

struct Algorithms {
  EVP_CIPHER* aes = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  EVP_CIPHER* chacha20 = EVP_CIPHER_fetch(nullptr, "ChaCha20", nullptr);
};
const Algorithms& algorithms() {
  static const auto* const one = new Algorithms;
  return *one;
}

bool cpu_has_aes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("aes");
#else
  return true;
#endif
}

}  // namespace

TempFile::TempFile(sqlite3_file* base)
    : File(base), key_(Secret::random(32)), context_(EVP_CIPHER_CTX_new()), has_aes_(cpu_has_aes()) {
  EVP_EncryptInit_ex2(context_, has_aes_ ? algorithms().aes : algorithms().chacha20, key_.data(), nullptr,
                      nullptr);
}

TempFile::~TempFile() {
  EVP_CIPHER_CTX_free(context_);
  wipe(block_);
}

// Both ciphers are their own inverse.
bool TempFile::crypt(std::uint64_t serial, const Byte* in, Byte* out) {
  Byte iv[16] = {};  // AES: serial | counter in the last bytes; ChaCha20: counter in the first four | serial
  store_le64(iv + (has_aes_ ? 0 : 4), serial);
  int done = 0;
  counters.temp_blocks.add();
  return EVP_EncryptInit_ex2(context_, nullptr, nullptr, iv, nullptr) == 1 &&
         EVP_EncryptUpdate(context_, out, &done, in, kBlock) == 1 && done == static_cast<int>(kBlock);
}

// `count` blocks that were written before, none of them the open one.
int TempFile::read_run(Byte* out, Index first, std::size_t count) {
  if (first < waiting_first_ + waiting_count_ && first + count > waiting_first_) {
    if (const int rc = flush_waiting(); rc != SQLITE_OK) return rc;
  }
  while (count > 0) {
    const std::size_t now = std::min(count, kRun);
    scratch_.resize(std::max(scratch_.size(), now * kBlock));
    const int rc = base_->pMethods->xRead(base_, scratch_.data(), static_cast<int>(now * kBlock),
                                          static_cast<sqlite3_int64>(first * kBlock));
    if (rc != SQLITE_OK) return rc == SQLITE_IOERR_SHORT_READ ? SQLITE_IOERR_READ : rc;
    for (std::size_t i = 0; i < now; ++i)
      if (!crypt(serials_[first + i], scratch_.data() + i * kBlock, out + i * kBlock))
        return SQLITE_IOERR_READ;
    out += now * kBlock;
    first += now;
    count -= now;
  }
  return SQLITE_OK;
}

int TempFile::write_run(const Byte* from, Index first, std::size_t count) {
  if (serials_.size() < first + count) serials_.resize(first + count);
  for (; count > 0; --count, ++first, from += kBlock) {
    if (waiting_count_ == kRun || first != waiting_first_ + waiting_count_) {
      if (const int rc = flush_waiting(); rc != SQLITE_OK) return rc;
    }
    if (waiting_count_ == 0) waiting_first_ = first;
    waiting_.resize(kRun * kBlock);
    if (!crypt(++last_serial_, from, waiting_.data() + waiting_count_ * kBlock)) return SQLITE_IOERR_WRITE;
    serials_[first] = last_serial_;
    ++waiting_count_;
  }
  return SQLITE_OK;
}

// On failure the blocks keep waiting: nothing that was taken is lost while somebody may try again.
int TempFile::flush_waiting() {
  if (waiting_count_ == 0) return SQLITE_OK;
  const int rc = base_->pMethods->xWrite(base_, waiting_.data(), static_cast<int>(waiting_count_ * kBlock),
                                         static_cast<sqlite3_int64>(waiting_first_ * kBlock));
  if (rc == SQLITE_OK) waiting_count_ = 0;
  return rc;
}

int TempFile::flush_block() {
  if (!block_open_ || !block_dirty_) return SQLITE_OK;
  if (const int rc = write_run(block_.data(), block_index_, 1); rc != SQLITE_OK) return rc;
  block_dirty_ = false;
  return SQLITE_OK;
}

int TempFile::open_block(Index block) {
  if (block_open_ && block_index_ == block) return SQLITE_OK;
  if (const int rc = flush_block(); rc != SQLITE_OK) return rc;
  block_open_ = false;
  block_.resize(kBlock);
  if (serial(block) == 0) {
    std::memset(block_.data(), 0, kBlock);
  } else if (const int rc = read_run(block_.data(), block, 1); rc != SQLITE_OK) {
    return rc;
  }
  block_index_ = block;
  block_open_ = true;
  block_dirty_ = false;
  return SQLITE_OK;
}

int TempFile::read(void* out, int amount, sqlite3_int64 offset) {
  auto* to = static_cast<Byte*>(out);
  if (amount < 0 || offset < 0) return SQLITE_IOERR_READ;
  const auto wanted = static_cast<std::size_t>(amount);
  const auto there = static_cast<std::size_t>(std::clamp<sqlite3_int64>(size_ - offset, 0, amount));
  std::memset(to + there, 0, wanted - there);
  const auto begin = static_cast<std::uint64_t>(offset);
  for (std::uint64_t at = begin; at < begin + there;) {
    const Index block = at / kBlock;
    const std::size_t within = at % kBlock;
    const std::size_t left = begin + there - at;
    const auto is_plain_block = [&](Index b) {
      return serial(b) != 0 && !(block_open_ && block_index_ == b);
    };
    std::size_t run = 0;
    if (within == 0)
      while ((run + 1) * kBlock <= left && is_plain_block(block + run)) ++run;
    if (run > 0) {
      if (const int rc = read_run(to, block, run); rc != SQLITE_OK) return rc;
      at += run * kBlock;
      to += run * kBlock;
      continue;
    }
    if (const int rc = open_block(block); rc != SQLITE_OK) return rc;
    const std::size_t now = std::min(left, kBlock - within);
    std::memcpy(to, block_.data() + within, now);
    at += now;
    to += now;
  }
  return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int TempFile::write(const void* from, int amount, sqlite3_int64 offset) {
  const auto* bytes = static_cast<const Byte*>(from);
  if (amount < 0 || offset < 0) return SQLITE_IOERR_WRITE;
  auto at = static_cast<std::uint64_t>(offset);
  const std::uint64_t end = at + static_cast<std::uint64_t>(amount);
  while (at < end) {
    const Index block = at / kBlock;
    const std::size_t within = at % kBlock;
    const std::size_t whole = within == 0 ? (end - at) / kBlock : 0;
    std::size_t now = whole * kBlock;
    if (whole > 0) {
      if (block_open_ && block_index_ >= block && block_index_ < block + whole) block_open_ = false;
      if (const int rc = write_run(bytes, block, whole); rc != SQLITE_OK) return rc;
    } else {
      if (const int rc = open_block(block); rc != SQLITE_OK) return rc;
      now = std::min<std::size_t>(end - at, kBlock - within);
      std::memcpy(block_.data() + within, bytes, now);
      block_dirty_ = true;
    }
    at += now;
    bytes += now;
    size_ = std::max(size_, static_cast<sqlite3_int64>(at));
  }
  return SQLITE_OK;
}

int TempFile::truncate(sqlite3_int64 size) {
  if (size < 0) return SQLITE_IOERR_TRUNCATE;
  if (size < size_) {
    const auto bytes = static_cast<std::uint64_t>(size);
    const Index kept = (bytes + kBlock - 1) / kBlock;
    if (bytes % kBlock != 0) {  // what follows in the last block must read as zeros if the file grows again
      if (const int rc = open_block(kept - 1); rc != SQLITE_OK) return rc;
      std::memset(block_.data() + bytes % kBlock, 0, kBlock - bytes % kBlock);
      block_dirty_ = true;
    }
    if (block_open_ && block_index_ >= kept) block_open_ = false;
    if (const int rc = flush_waiting(); rc != SQLITE_OK) return rc;
    if (serials_.size() > kept) serials_.resize(kept);
    const auto cut = static_cast<sqlite3_int64>(kept * kBlock);
    if (base_size() > cut) {
      if (const int rc = base_->pMethods->xTruncate(base_, cut); rc != SQLITE_OK) return rc;
    }
  }
  size_ = size;
  return SQLITE_OK;
}

int TempFile::sync(int flags) {
  if (const int rc = flush_block(); rc != SQLITE_OK) return rc;
  if (const int rc = flush_waiting(); rc != SQLITE_OK) return rc;
  return base_->pMethods->xSync(base_, flags);
}

int TempFile::control(int op, void* argument) {
  switch (op) {
    case SQLITE_FCNTL_MMAP_SIZE:
      *static_cast<sqlite3_int64*>(argument) = 0;
      return SQLITE_OK;
    case SQLITE_FCNTL_SIZE_HINT:  // SQLite's sizes are not those of the file below
    case SQLITE_FCNTL_CHUNK_SIZE:
      return SQLITE_OK;
    default:
      return base_->pMethods->xFileControl(base_, op, argument);
  }
}

}  // namespace muhur::vault

#include "vault/main_file.hpp"

#include <limits>
#include <thread>

namespace muhur::vault {
namespace {

constexpr int kVersionAt = 24;  // file change counter and what follows: SQLite asks whether it changed
constexpr int kVersionSize = 16;
constexpr int kPageCountAt = 28;
constexpr int kPlainHeaderEnd = 24;

}  // namespace

int MainFile::close() {
  if (!guard_) {
    codec_->forget_main();
    return File::close();
  }
  const Lock lock(WalGuard::mutex());
  codec_->forget_main();
  const int rc = File::close();
  let_go();
  return rc;
}

// After the VFS below has let go of its own descriptor.
void MainFile::let_go() {
  if (guard_ && guard_->locks()) guard_->locks()->release_all(held_);
  guard_.reset();
}

int MainFile::read(void* out, int amount, sqlite3_int64 offset) {
  if (amount <= 0 || offset < 0) return SQLITE_IOERR_READ;
  std::uint32_t size = 0;
  if (const int rc = codec_->find_page_size(size); rc != SQLITE_OK) {
    std::memset(out, 0, static_cast<std::size_t>(amount));
    return rc;
  }
  if (size == 0) {
    // Empty so far, or page 1 was not written yet, or no database of ours.
    std::memset(out, 0, static_cast<std::size_t>(amount));
    if (base_size() <= offset) return SQLITE_IOERR_SHORT_READ;
    return offset == 0 && amount == kHeader ? SQLITE_OK : SQLITE_NOTADB;
  }
  if (offset == 0 && amount == kHeader) return read_header(out);
  if (offset == kVersionAt && amount == kVersionSize) return read_version(out);
  if (offset % size == 0 && amount == static_cast<int>(size) && offset > 0)
    return read_page(static_cast<std::uint32_t>(offset / size + 1), out);
  return read_pages(out, amount, offset);
}

// Beyond the end SQLite takes zeros for an answer. It has reason to ask only for an empty file, and for a
// page that a transaction under way has added (auto_vacuum reads back what it moves): one that page 1 does
// not count yet. Any other page was there once: the file was cut.
int MainFile::short_read(sqlite3_int64 offset) {
  sqlite3_int64 size = 0;
  if (const int rc = base_->pMethods->xFileSize(base_, &size); rc != SQLITE_OK) return rc;
  if (size == 0 || (offset == 0 && size < kHeader)) return SQLITE_IOERR_SHORT_READ;
  if (offset >= size) {
    std::uint32_t counted = 0;
    if (const int rc = count_pages(counted); rc != SQLITE_OK) return rc;
    if (offset / codec_->page_size() >= counted) return SQLITE_IOERR_SHORT_READ;
  }
  return refuse(SQLITE_CORRUPT, "the database file ends before a page that belongs to it");
}

// How many pages page 1 in the file says there are; so many that none is missing when it does not verify.
int MainFile::count_pages(std::uint32_t& count) {
  if (header_known_) {
    count = load_be32(header_ + kPageCountAt);
    return SQLITE_OK;
  }
  std::vector<Byte> page(codec_->page_size());
  count = std::numeric_limits<std::uint32_t>::max();
  const int rc = base_->pMethods->xRead(base_, page.data(), static_cast<int>(page.size()), 0);
  if (rc == SQLITE_OK && codec_->decrypt(1, page.data(), page.data()) == SQLITE_OK)
    count = load_be32(page.data() + kPageCountAt);
  wipe(page);
  return rc == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : rc;
}

// One whole page, or zeros and an error.
int MainFile::read_page(std::uint32_t page, void* out) {
  const std::uint32_t size = codec_->page_size();
  const sqlite3_int64 offset = static_cast<sqlite3_int64>(page - 1) * size;
  auto* const bytes = static_cast<Byte*>(out);
  int rc = base_->pMethods->xRead(base_, out, static_cast<int>(size), offset);
  if (rc != SQLITE_OK) {
    std::memset(out, 0, size);
    return rc == SQLITE_IOERR_SHORT_READ ? short_read(offset) : rc;
  }
  if (page != 1) return codec_->decrypt(page, bytes, bytes);
  header_known_ = false;
  Byte trailer[kTrailer];
  std::memcpy(trailer, bytes + size - kTrailer, kTrailer);
  rc = codec_->decrypt(1, bytes, bytes);
  if (rc != SQLITE_OK) return rc;
  remember_header(bytes, trailer);
  return SQLITE_OK;
}

void MainFile::remember_header(const Byte* plain, const Byte* trailer) {
  header_known_ = codec_->reserved() == kTrailer;  // without a tag there is nothing to tell a change by
  if (!header_known_) return;
  std::memcpy(header_, plain, kHeader);
  std::memcpy(trailer_, trailer, kTrailer);
}

// The first 100 bytes, asked for without any lock when a database is opened: page 1 may be in the middle of
// being written. SQLite keeps page size and reserve from it, which are plain; the auto-vacuum mode it reads
// anew under a lock.
int MainFile::read_header(void* out) {
  constexpr int kAttempts = 50;
  auto* const bytes = static_cast<Byte*>(out);
  std::vector<Byte> before;
  std::vector<Byte> now;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::uint32_t size = codec_->page_size();
    now.resize(size);
    std::vector<Byte> page(size);
    const int rc = base_->pMethods->xRead(base_, now.data(), static_cast<int>(size), 0);
    if (rc == SQLITE_IOERR_SHORT_READ) break;
    if (rc != SQLITE_OK) return rc;
    if (codec_->header_is_readable() && page_size_in(now.data()) != 0 && page_size_in(now.data()) != size) {
      codec_->set_page_size(page_size_in(now.data()));
      continue;
    }
    if (codec_->decrypt(1, now.data(), page.data()) == SQLITE_OK) {
      std::memcpy(out, page.data(), kHeader);
      remember_header(page.data(), now.data() + size - kTrailer);
      wipe(page);
      return SQLITE_OK;
    }
    if (now == before) break;  // not in motion: another key, or damage
    before.swap(now);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Enough to go on: page 1 is read and verified again under a lock.
  std::memset(out, 0, kHeader);
  Byte plain[kPlainHeaderEnd];
  if (codec_->header_is_readable() && base_->pMethods->xRead(base_, plain, kPlainHeaderEnd, 0) == SQLITE_OK) {
    std::memcpy(bytes, kMagic.data(), kMagic.size());
    std::memcpy(bytes + kMagic.size(), plain + kMagic.size(), kPlainHeaderEnd - kMagic.size());
  }
  return SQLITE_OK;
}

int MainFile::read_version(void* out) {
  if (header_known_) {
    Byte trailer[kTrailer];
    const sqlite3_int64 at = static_cast<sqlite3_int64>(codec_->page_size()) - kTrailer;
    if (base_->pMethods->xRead(base_, trailer, kTrailer, at) == SQLITE_OK &&
        std::memcmp(trailer, trailer_, kTrailer) == 0) {
      std::memcpy(out, header_ + kVersionAt, kVersionSize);
      return SQLITE_OK;
    }
  }
  return read_pages(out, kVersionSize, kVersionAt);
}

// Any range, page by page. The page size is looked at anew when it begins in page 1: another process may
// have made the database anew.
int MainFile::read_pages(void* out, int amount, sqlite3_int64 offset) {
  auto* to = static_cast<Byte*>(out);
  std::memset(out, 0, static_cast<std::size_t>(amount));
  if (offset < codec_->page_size()) {
    Byte header[kPlainHeaderEnd];
    const int rc = base_->pMethods->xRead(base_, header, sizeof header, 0);
    if (rc != SQLITE_OK) return rc == SQLITE_IOERR_SHORT_READ ? short_read(0) : rc;
    if (codec_->header_is_readable() && page_size_in(header) != 0)
      codec_->set_page_size(page_size_in(header));
  }
  const std::uint32_t size = codec_->page_size();
  std::vector<Byte> page(size);
  const sqlite3_int64 end = offset + amount;
  for (sqlite3_int64 at = offset; at < end;) {
    const auto within = static_cast<std::size_t>(at % size);
    if (at > offset && base_size() <= at) return SQLITE_IOERR_SHORT_READ;
    const int rc = read_page(static_cast<std::uint32_t>(at / size + 1), page.data());
    if (rc != SQLITE_OK) {
      std::memset(out, 0, static_cast<std::size_t>(amount));
      return rc;
    }
    const auto now = std::min(static_cast<std::size_t>(end - at), size - within);
    std::memcpy(to, page.data() + within, now);
    to += now;
    at += static_cast<sqlite3_int64>(now);
  }
  wipe(page);
  return SQLITE_OK;
}

int MainFile::write(const void* from, int amount, sqlite3_int64 offset) {
  if (!is_page_size(static_cast<std::uint64_t>(std::max(amount, 0))) || offset < 0 || offset % amount != 0)
    return refuse(SQLITE_IOERR_WRITE, "a write to the database that is not a page");
  const auto size = static_cast<std::uint32_t>(amount);
  if (codec_->page_size() != size) {
    if (codec_->page_size() != 0 && base_size() != 0)
      return refuse(SQLITE_IOERR_WRITE, "a page of another size than the database's");
    codec_->set_page_size(size);
  }
  if (codec_->checkpointing) return pass_through(from, amount, offset);
  const auto page = static_cast<std::uint32_t>(offset / size + 1);
  const auto* const plain = static_cast<const Byte*>(from);
  if (page == 1) {
    header_known_ = false;
    if (!codec_->may_write_first_page(plain))
      return refuse(SQLITE_IOERR_WRITE, "page 1 of another page size, or without the cipher's reserve");
  }
  Byte* const sealed = codec_->scratch(size);
  if (const int rc = codec_->encrypt(page, from, sealed); rc != SQLITE_OK) return rc;
  const int rc = base_->pMethods->xWrite(base_, sealed, amount, offset);
  if (rc == SQLITE_OK && page == 1) remember_header(plain, sealed + size - kTrailer);
  return rc;
}

// A frame of the WAL is a page of the database, byte for byte.
int MainFile::pass_through(const void* from, int amount, sqlite3_int64 offset) {
  const auto* const sealed = static_cast<const Byte*>(from);
  if (offset == 0) {
    header_known_ = false;
    if (codec_->header_is_readable() && page_size_in(sealed) != static_cast<std::uint32_t>(amount))
      return refuse(SQLITE_IOERR_WRITE, "a checkpoint of a page 1 that is not this database's");
  }
  return base_->pMethods->xWrite(base_, from, amount, offset);
}

int MainFile::truncate(sqlite3_int64 size) {
  if (size == 0) {
    header_known_ = false;
    codec_->set_page_size(0);
  }
  return base_->pMethods->xTruncate(base_, size);
}

int MainFile::control(int op, void* argument) {
  switch (op) {
    case SQLITE_FCNTL_CKPT_START:
      codec_->checkpointing = true;
      ++codec_->checkpoints;
      break;
    case SQLITE_FCNTL_CKPT_DONE:
      codec_->checkpointing = false;
      break;
    case SQLITE_FCNTL_MMAP_SIZE:  // a mapped page would be ciphertext
      *static_cast<sqlite3_int64*>(argument) = 0;
      return SQLITE_OK;
    case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
      *static_cast<int*>(argument) = 1;
      return SQLITE_OK;
    case SQLITE_FCNTL_BEGIN_ATOMIC_WRITE:
    case SQLITE_FCNTL_COMMIT_ATOMIC_WRITE:
    case SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE:
      return SQLITE_NOTFOUND;
    case SQLITE_FCNTL_PRAGMA:
      if (const int rc = on_pragma(static_cast<char**>(argument)); rc != SQLITE_NOTFOUND) return rc;
      break;
    default:
      break;
  }
  const int rc = base_->pMethods->xFileControl(base_, op, argument);
  if (op == SQLITE_FCNTL_VFSNAME && rc == SQLITE_OK) {
    char** const name = static_cast<char**>(argument);
    *name = sqlite3_mprintf("muhur/%z", *name);
  }
  return rc;
}

// Without secure_delete SQLite does not write freed pages, and a page that was never written has no tag.
int MainFile::on_pragma(char** argument) {
  if (sqlite3_stricmp(argument[1], "secure_delete") != 0 || !argument[2]) return SQLITE_NOTFOUND;
  for (const char* const on : {"1", "on", "yes", "true"})
    if (sqlite3_stricmp(argument[2], on) == 0) return SQLITE_NOTFOUND;
  argument[0] = sqlite3_mprintf("an encrypted database needs secure_delete=ON");
  return SQLITE_ERROR;
}

int MainFile::shm_map(int region, int size, int extend, void volatile** out) {
  if (region != 0 || codec_->wal_index) return File::shm_map(region, size, extend, out);
  const Lock lock(WalGuard::mutex());
  const int rc = File::shm_map(region, size, extend, out);
  if (rc != SQLITE_OK || !*out) return rc;
  guard_ = WalGuard::join(path_ + "-shm", shares_);
  if (!guard_) {
    *out = nullptr;
    return refuse(SQLITE_IOERR_SHMMAP, "the WAL-index cannot be guarded");
  }
  codec_->wal_index = static_cast<volatile Byte*>(*out);
  if (!shares_) guard_->alone();
  return SQLITE_OK;
}

int MainFile::shm_unmap(int remove) {
  const Lock lock(WalGuard::mutex());
  codec_->wal_index = nullptr;
  codec_->tail.known = false;
  const int rc = File::shm_unmap(remove);
  let_go();
  return rc;
}

int MainFile::lock_slots(int slot, int count, int flags) {
  if (ShmLocks* const locks = guard_ ? guard_->locks() : nullptr)
    return locks->apply(held_, slot, count, flags);
  return File::shm_lock(slot, count, flags);
}

int MainFile::shm_lock(int slot, int count, int flags) {
  const bool write_lock = slot == kWriteLock && (flags & SQLITE_SHM_EXCLUSIVE);
  const bool checkpoint_lock = slot <= kCheckpointLock && slot + count > kCheckpointLock;
  if (checkpoint_lock && (flags & SQLITE_SHM_UNLOCK)) codec_->checkpointing = false;
  if (!write_lock || !codec_->wal_index) return lock_slots(slot, count, flags);
  if (flags & SQLITE_SHM_UNLOCK) {
    publish_tail();
    read_index_header(index_header_);
    return lock_slots(slot, count, flags);
  }
  const int rc = lock_slots(slot, count, flags);
  if (rc == SQLITE_OK) {
    // Unless somebody has committed since, the last frame is still the one we know.
    Byte now[kIndexHeader];
    read_index_header(now);
    if (std::memcmp(now, index_header_, kIndexHeader) != 0) codec_->tail.known = false;
  }
  return rc;
}

void MainFile::read_index_header(Byte out[kIndexHeader]) const {
  for (int i = 0; i < kIndexHeader; ++i) out[i] = codec_->wal_index[i];
}

// Puts the checksum over ciphertext where other programs chain from. The write lock is held, so nobody else
// writes the header; readers compare its two copies, so it is written as SQLite does: second copy first.
void MainFile::publish_tail() {
  const WalTail& tail = codec_->tail;
  if (!tail.known || (shares_ ? guard_->is_alone() : guard_->alone())) return;
  Byte header[kIndexHeader];
  read_index_header(header);
  std::uint32_t frames;
  std::memcpy(&frames, header + kIndexMaxFrame, sizeof frames);
  const sqlite3_int64 end =
      kWalHeader + static_cast<sqlite3_int64>(frames) * (kFrameHeader + codec_->page_size());
  // Frames beyond the committed ones were rolled back: the header still tells the truth.
  if (frames == 0 || tail.end != end || std::memcmp(header + kIndexFrameSum, tail.sum, 8) == 0) return;
  std::memcpy(header + kIndexFrameSum, tail.sum, 8);
  std::uint32_t sum[2] = {0, 0};
  wal_checksum(std::endian::native == std::endian::big, {header, kIndexSum}, sum);
  std::memcpy(header + kIndexSum, sum, 8);
  for (int copy : {1, 0}) {
    for (int i = 0; i < kIndexHeader; ++i) codec_->wal_index[copy * kIndexHeader + i] = header[i];
    File::shm_barrier();
  }
}

}  // namespace muhur::vault

// Every page is decrypted under the old key and encrypted under the new one. What a page says does not
// change, so SQLite's page cache stays right. The journal is one that SQLite would have written for a
// transaction that changes every page (vault/journal_file.cpp draws it), with the old ciphertext:
//
//   1. the journal, its magic and number of records still zeros; synced        a crash: a journal of nothing
//   2. magic and number of records; synced                                     a crash: all is rolled back
//   3. the pages; synced
//   4. the journal is deleted                                                  done
//
// The salt stays the same: a journal is read under the key that the salt in page 1 and the old passphrase
// give, and page 1 may have been rewritten by then.
#include "vault/rekey_pages.hpp"

#include <fmt/format.h>

#include "base/random.hpp"
#include "vault/vfs_layer.hpp"

namespace muhur::vault {
namespace {

constexpr int kSector = 512;
constexpr Byte kJournalMagic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
constexpr std::uint32_t kLockByte = 0x40000000;
constexpr int kSync = SQLITE_SYNC_NORMAL;

// A file of a VFS, closed when it goes.
class JournalHandle {
 public:
  JournalHandle(sqlite3_vfs* vfs, const char* name)
      : vfs_(vfs),
        name_(name),
        memory_(
            new std::max_align_t[static_cast<std::size_t>(vfs->szOsFile) / sizeof(std::max_align_t) + 1]()),
        file_(reinterpret_cast<sqlite3_file*>(memory_.get())) {}
  ~JournalHandle() {
    if (file_->pMethods) file_->pMethods->xClose(file_);
  }
  JournalHandle(const JournalHandle&) = delete;
  JournalHandle& operator=(const JournalHandle&) = delete;

  int open() {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_JOURNAL;
    return vfs_->xOpen(vfs_, name_, file_, flags, &flags);
  }
  int read(Byte* to, int size, sqlite3_int64 at) { return file_->pMethods->xRead(file_, to, size, at); }
  int write(const Byte* from, int size, sqlite3_int64 at) {
    return file_->pMethods->xWrite(file_, from, size, at);
  }
  int empty() { return file_->pMethods->xTruncate(file_, 0); }
  int sync() { return file_->pMethods->xSync(file_, kSync); }
  // Hot no more, one way or the other.
  int finish() {
    if (vfs_->xDelete(vfs_, name_, 1) == SQLITE_OK) return SQLITE_OK;
    const int rc = empty();
    return rc == SQLITE_OK ? sync() : rc;
  }

 private:
  sqlite3_vfs* const vfs_;
  const char* const name_;
  const std::unique_ptr<std::max_align_t[]> memory_;
  sqlite3_file* const file_;
};

class Rekeying {
 public:
  Rekeying(sqlite3_file* file, PageCodec& from, PageCodec& to, JournalHandle& journal,
           const RekeyProgress& progress)
      : file_(file), from_(from), to_(to), journal_(journal), progress_(progress), size_(from.page_size()) {
    sqlite3_int64 bytes = 0;
    if (file->pMethods->xFileSize(file, &bytes) == SQLITE_OK && bytes % size_ == 0)
      pages_ = static_cast<std::uint32_t>(bytes / size_);
    to_.set_page_size(size_);
    sealed_.resize(size_);
    plain_.resize(size_);
  }
  ~Rekeying() { wipe(plain_); }
  Rekeying(const Rekeying&) = delete;
  Rekeying& operator=(const Rekeying&) = delete;

  int run(std::string& why) {
    if (pages_ == 0) {
      why = "the database does not end with a page";
      return SQLITE_CORRUPT;
    }
    int rc = write_journal(why);
    if (rc != SQLITE_OK) {
      journal_.finish();  // it was of nothing
      return rc;
    }
    rc = write_pages();
    if (rc == SQLITE_OK) rc = journal_.finish();
    if (rc == SQLITE_OK) return rc;
    why = "the database could not be written";
    // A journal that cannot be played back now stays, and is by whoever opens the database next.
    if (restore_pages() == SQLITE_OK) journal_.finish();
    return rc;
  }

 private:
  sqlite3_int64 page_at(std::uint32_t page) const { return static_cast<sqlite3_int64>(page - 1) * size_; }
  sqlite3_int64 record_at(std::uint32_t record) const {
    return kSector + static_cast<sqlite3_int64>(record) * (size_ + 8);
  }
  bool holds_locks(std::uint32_t page) const { return page == kLockByte / size_ + 1; }
  int bytes() const { return static_cast<int>(size_); }

  int load(std::uint32_t page) {
    const int rc = file_->pMethods->xRead(file_, sealed_.data(), bytes(), page_at(page));
    return rc == SQLITE_OK ? from_.decrypt(page, sealed_.data(), plain_.data()) : rc;
  }
  void step() {
    if (progress_) progress_(++steps_, 2ULL * pages_);
  }

  int write_journal(std::string& why) {
    why = "the journal could not be written";
    Byte header[kSector] = {};
    const auto seed = static_cast<std::uint32_t>(random_u64());
    store_be32(header + 12, seed);
    store_be32(header + 16, pages_);
    store_be32(header + 20, kSector);
    store_be32(header + 24, size_);
    int rc = journal_.empty();
    if (rc == SQLITE_OK) rc = journal_.write(header, kSector, 0);
    std::vector<Byte> record(size_ + 8);
    for (std::uint32_t page = 1; page <= pages_ && rc == SQLITE_OK; ++page, step()) {
      if (holds_locks(page)) continue;
      if (rc = load(page); rc != SQLITE_OK) {
        why = fmt::format("page {} is damaged", page);
        return rc;
      }
      store_be32(record.data(), page);
      std::memcpy(record.data() + 4, sealed_.data(), size_);
      std::uint32_t sum = seed;
      for (int i = bytes() - 200; i > 0; i -= 200) sum += plain_[static_cast<std::size_t>(i)];
      store_be32(record.data() + 4 + size_, sum);
      rc = journal_.write(record.data(), bytes() + 8, record_at(records_));
      if (rc == SQLITE_OK) ++records_;
    }
    if (rc == SQLITE_OK) rc = journal_.sync();
    std::memcpy(header, kJournalMagic, sizeof kJournalMagic);
    store_be32(header + 8, records_);
    if (rc == SQLITE_OK) rc = journal_.write(header, 12, 0);
    return rc == SQLITE_OK ? journal_.sync() : rc;
  }

  int write_pages() {
    int rc = SQLITE_OK;
    for (std::uint32_t page = 1; page <= pages_ && rc == SQLITE_OK; ++page, step()) {
      if (holds_locks(page)) continue;
      rc = load(page);
      if (rc == SQLITE_OK) rc = to_.encrypt(page, plain_.data(), sealed_.data());
      if (rc == SQLITE_OK) rc = file_->pMethods->xWrite(file_, sealed_.data(), bytes(), page_at(page));
    }
    return rc == SQLITE_OK ? file_->pMethods->xSync(file_, kSync) : rc;
  }

  int restore_pages() {
    Byte number[4];
    for (std::uint32_t record = 0; record < records_; ++record) {
      int rc = journal_.read(number, sizeof number, record_at(record));
      if (rc == SQLITE_OK) rc = journal_.read(sealed_.data(), bytes(), record_at(record) + 4);
      if (rc == SQLITE_OK)
        rc = file_->pMethods->xWrite(file_, sealed_.data(), bytes(), page_at(load_be32(number)));
      if (rc != SQLITE_OK) return rc;
    }
    return file_->pMethods->xSync(file_, kSync);
  }

  sqlite3_file* const file_;
  PageCodec& from_;
  PageCodec& to_;
  JournalHandle& journal_;
  const RekeyProgress& progress_;
  const std::uint32_t size_;
  std::uint32_t pages_ = 0;
  std::uint32_t records_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<Byte> sealed_;
  std::vector<Byte> plain_;
};

// The lock that lets nobody else in, and back to what SQLite holds.
class Exclusive {
 public:
  explicit Exclusive(sqlite3_file* file) : file_(file) {
    rc_ = file->pMethods->xFileControl(file, SQLITE_FCNTL_LOCKSTATE, &before_);
    if (rc_ == SQLITE_OK && before_ > SQLITE_LOCK_SHARED) rc_ = SQLITE_BUSY;
    if (rc_ != SQLITE_OK) return;
    for (const int level : {SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE})
      if (rc_ == SQLITE_OK && level > before_) rc_ = file->pMethods->xLock(file, level);
    taken_ = true;
  }
  ~Exclusive() {
    if (taken_) file_->pMethods->xUnlock(file_, before_);
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;
  int result() const { return rc_; }

 private:
  sqlite3_file* const file_;
  int before_ = SQLITE_LOCK_NONE;
  int rc_;
  bool taken_ = false;
};

// Reads under the old key: plays back a hot journal, opens the WAL; then empties it.
int settle(sqlite3* db, const char* schema, std::string& why) {
  if (sqlite3_txn_state(db, schema) != SQLITE_TXN_NONE) {
    why = "a transaction is open";
    return SQLITE_BUSY;
  }
  char* const sql = sqlite3_mprintf("PRAGMA \"%w\".schema_version", schema);
  int rc = sqlite3_exec(db, sql, nullptr, nullptr, nullptr);
  sqlite3_free(sql);
  why = "the database cannot be read";
  if (rc != SQLITE_OK) return rc;
  rc = sqlite3_wal_checkpoint_v2(db, schema, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  why = "the WAL cannot be emptied: the database is in use";
  return rc;
}

bool is_there(sqlite3_vfs* vfs, const char* name) {
  int there = 1;  // and not empty
  return vfs->xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &there) != SQLITE_OK || there != 0;
}

// A journal that is left from before, and not of nothing.
bool is_hot(JournalHandle& journal) {
  Byte first = 1;
  const int rc = journal.read(&first, 1, 0);
  return rc != SQLITE_IOERR_SHORT_READ && first != 0;
}

}  // namespace

int rekey_pages(sqlite3* db, const char* schema, MainFile& file, std::shared_ptr<const Key> key,
                const RekeyProgress& progress, std::string& why) {
  PageCodec& codec = *file.codec();
  const CipherChoice& choice = codec.choice();
  why = "this cipher cannot have such a key";
  if (key->empty() || (choice.kind == CipherKind::aes256cbc && key->is_raw())) return SQLITE_ERROR;
  if (choice.plaintext_header > 0 && !choice.salt && !key->salt()) return SQLITE_ERROR;
  if (const int rc = settle(db, schema, why); rc != SQLITE_OK) return rc;

  sqlite3_file* const base = file.base();
  const sqlite3_filename name = sqlite3_db_filename(db, schema);
  sqlite3_vfs* vfs = nullptr;
  sqlite3_file_control(db, schema, SQLITE_FCNTL_VFS_POINTER, &vfs);
  why = "the database cannot be had alone";
  if (!name || !vfs) return SQLITE_ERROR;
  const Exclusive alone(base);
  if (alone.result() != SQLITE_OK) return alone.result();
  sqlite3_vfs* const below = vfs_below(vfs);
  if (is_there(below, sqlite3_filename_wal(name))) return SQLITE_BUSY;

  sqlite3_int64 bytes = 0;
  if (base->pMethods->xFileSize(base, &bytes) == SQLITE_OK && bytes > 0) {
    JournalHandle journal(below, sqlite3_filename_journal(name));
    why = "the journal cannot be made";
    if (const int rc = journal.open(); rc != SQLITE_OK) return rc;
    if (is_hot(journal)) return SQLITE_BUSY;
    PageCodec to(key, choice, base);
    if (const int rc = Rekeying(base, codec, to, journal, progress).run(why); rc != SQLITE_OK) return rc;
  }
  file.change_key(std::move(key));
  return SQLITE_OK;
}

}  // namespace muhur::vault

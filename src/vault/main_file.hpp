#pragma once
// The database file of an encrypted database, and through its WAL-index calls the one place that sees who
// holds the WAL's write lock. Private to the vault.

#include <memory>
#include <string>

#include "vault/file.hpp"
#include "vault/page_codec.hpp"
#include "vault/wal_format.hpp"
#include "vault/wal_guard.hpp"

namespace muhur::vault {

class MainFile final : public File {
 public:
  // `path` names the file for its -shm. `shares`: other processes are welcome (vault/wal_guard.hpp).
  MainFile(sqlite3_file* base, std::shared_ptr<PageCodec> codec, std::string path, bool shares)
      : File(base), codec_(std::move(codec)), path_(std::move(path)), shares_(shares) {}

  // For the WAL and the journal that belong to this file.
  const std::shared_ptr<PageCodec>& codec() const { return codec_; }
  MainFile* encrypted() override { return this; }
  // Every page in the file is under this key now (vault/rekey_pages.hpp).
  void change_key(std::shared_ptr<const Key> key) {
    header_known_ = false;
    codec_->set_key(std::move(key), codec_->choice());
  }

  int close() override;
  int read(void* out, int amount, sqlite3_int64 offset) override;
  int write(const void* from, int amount, sqlite3_int64 offset) override;
  int truncate(sqlite3_int64 size) override;
  int control(int op, void* argument) override;
  int characteristics() override { return encrypting_characteristics(); }
  int shm_map(int region, int size, int extend, void volatile** out) override;
  int shm_lock(int slot, int count, int flags) override;
  int shm_unmap(int remove) override;

 private:
  static constexpr int kHeader = 100;  // SQLite's database header
  static constexpr int kTrailer = 32;  // nonce and tag of a page

  int read_page(std::uint32_t page, void* out);
  int read_header(void* out);
  int read_version(void* out);
  int read_pages(void* out, int amount, sqlite3_int64 offset);
  int pass_through(const void* from, int amount, sqlite3_int64 offset);
  int short_read(sqlite3_int64 offset);
  int count_pages(std::uint32_t& count);
  void remember_header(const Byte* plain, const Byte* trailer);
  int on_pragma(char** argument);
  void read_index_header(Byte out[kIndexHeader]) const;
  void publish_tail();
  int lock_slots(int slot, int count, int flags);
  void let_go();

  const std::shared_ptr<PageCodec> codec_;
  const std::string path_;
  const bool shares_;
  // Page 1 as it was last verified or written: as long as its trailer in the file is the same, so is it.
  bool header_known_ = false;
  Byte header_[kHeader] = {};
  Byte trailer_[kTrailer] = {};
  std::shared_ptr<WalGuard> guard_;  // as long as the WAL-index is mapped
  ShmLocks::Held held_;
  Byte index_header_[kIndexHeader] = {};  // as we left it when the write lock was last given up
};

}  // namespace muhur::vault

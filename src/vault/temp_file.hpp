#pragma once
// Temp databases, sorter runs, statement journals, transient tables: SQLite reads and writes them at any
// offset, and nobody opens them again. Encrypted under a random key that lives as long as the File.
// Private to the vault.

#include <vector>

#include "base/secret.hpp"
#include "vault/file.hpp"

struct evp_cipher_ctx_st;

namespace muhur::vault {

class TempFile final : public File {
 public:
  explicit TempFile(sqlite3_file* base);
  ~TempFile() override;

  int read(void* out, int amount, sqlite3_int64 offset) override;
  int write(const void* from, int amount, sqlite3_int64 offset) override;
  int truncate(sqlite3_int64 size) override;
  int sync(int flags) override;
  int size(sqlite3_int64* out) override {
    *out = size_;
    return SQLITE_OK;
  }
  int control(int op, void* argument) override;
  int characteristics() override { return encrypting_characteristics(); }

 private:
  using Index = std::uint64_t;  // of a block

  std::uint64_t serial(Index block) const { return block < serials_.size() ? serials_[block] : 0; }
  bool crypt(std::uint64_t serial, const Byte* in, Byte* out);
  int open_block(Index block);
  int flush_block();
  int read_run(Byte* out, Index first, std::size_t count);
  int write_run(const Byte* from, Index first, std::size_t count);
  int flush_waiting();

  Secret key_;
  evp_cipher_ctx_st* const context_;
  const bool has_aes_;
  sqlite3_int64 size_ = 0;  // as SQLite sees it; the file below holds whole blocks
  std::uint64_t last_serial_ = 0;
  std::vector<std::uint64_t> serials_;  // of each block's last write; 0: never written, reads as zeros
  std::vector<Byte> scratch_;           // ciphertext on its way in
  std::vector<Byte> waiting_;  // ciphertext of waiting_count_ blocks from waiting_first_, to be written
  Index waiting_first_ = 0;
  std::size_t waiting_count_ = 0;
  std::vector<Byte> block_;  // one block in plain, for what is smaller than a block
  Index block_index_ = 0;
  bool block_open_ = false;
  bool block_dirty_ = false;
};

}  // namespace muhur::vault

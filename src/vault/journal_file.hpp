#pragma once
// The rollback journal of an encrypted database: page records are encrypted with their page's number, all
// else is plain. Private to the vault.

#include <memory>

#include "vault/file.hpp"
#include "vault/page_codec.hpp"

namespace muhur::vault {

class JournalFile final : public File {
 public:
  JournalFile(sqlite3_file* base, std::shared_ptr<PageCodec> codec) : File(base), codec_(std::move(codec)) {}

  int read(void* out, int amount, sqlite3_int64 offset) override;
  int write(const void* from, int amount, sqlite3_int64 offset) override;
  int characteristics() override { return encrypting_characteristics(); }

 private:
  int refuse_when_cut();
  std::uint32_t page_size();
  bool is_page(int amount, sqlite3_int64 offset);
  void note_word(const Byte* word, sqlite3_int64 offset);
  std::uint32_t lock_page();

  const std::shared_ptr<PageCodec> codec_;
  sqlite3_int64 word_at_ =
      -1;  // where the 4-byte word last seen stands; -1: none that could be a page number
  std::uint32_t word_ = 0;
  sqlite3_int64 page_end_ = -1;  // where the page last seen ends: the word there is its checksum
};

}  // namespace muhur::vault

#pragma once
// What a database file, its WAL and its rollback journal share while they are open: the key and cipher, the
// page size, and what the three must tell each other. Private to the vault; one thread at a time, as SQLite
// uses the files of one connection.

#include <memory>

#include "vault/page_cipher.hpp"
#include "vault/sqlite.hpp"

namespace muhur::vault {

// The chained checksum behind the last WAL frame that this connection knows of, over ciphertext.
struct WalTail {
  bool known = false;
  sqlite3_int64 end = 0;  // where in the WAL the next frame begins
  std::uint32_t sum[2] = {0, 0};
  bool big_endian = false;  // the byte order of the words that are summed
};

class PageCodec {
 public:
  // `main` is the open database file below the cipher; forget_main() before it is closed.
  PageCodec(std::shared_ptr<const Key> key, const CipherChoice& choice, sqlite3_file* main);

  // 0 while the file is empty or unreadable. Asks the file until it knows.
  std::uint32_t page_size();
  // The same for who can report why it is not known: an error when the file could not be read.
  int find_page_size(std::uint32_t& size);
  void set_page_size(std::uint32_t size) { page_size_ = size; }
  std::size_t reserved() const;
  // False when this cipher encrypts the header's page size too.
  bool header_is_readable() const { return choice_.kind != CipherKind::sqleet; }

  // One page of page_size() bytes; `out` may be the input. SQLITE_OK, or an error and `out` is zeros:
  // SQLITE_NOTADB for page 1 that is not authentic, SQLITE_CORRUPT for another, SQLITE_IOERR_* when the key
  // cannot be had.
  int encrypt(std::uint32_t page, const void* plain, Byte* out);
  int decrypt(std::uint32_t page, const Byte* sealed, void* out);

  // Another key, another cipher: for the WAL and the journal too, from the next page on.
  void set_key(std::shared_ptr<const Key> key, const CipherChoice& choice);
  const Key& key() const { return *key_; }
  const std::shared_ptr<const Key>& shared_key() const { return key_; }
  const CipherChoice& choice() const { return choice_; }
  // Whether page 1 was read or written under this key.
  bool verified() const { return verified_; }

  // Whether page 1 in plain may be written: it says this page size and leaves the cipher its reserve.
  bool may_write_first_page(const Byte* plain) const;

  // Scratch of at least `size` bytes, valid until the next call. Holds ciphertext, or pages in plain.
  Byte* scratch(std::size_t size);

  void forget_main() { main_ = nullptr; }

  bool checkpointing = false;     // between SQLITE_FCNTL_CKPT_START and _DONE: pages pass as they are
  std::uint64_t checkpoints = 0;  // begun so far
  WalTail tail;
  volatile Byte* wal_index = nullptr;  // the first region of the -shm, where there is one

 private:
  int ready(bool writing);
  int decrypt_first(ByteView sealed, Byte* out);
  std::unique_ptr<PageCipher> cipher_for(const Salt& salt) const;
  bool salt_is_in_file() const;

  std::shared_ptr<const Key> key_;
  CipherChoice choice_;
  sqlite3_file* main_;
  std::uint32_t page_size_ = 0;
  std::unique_ptr<PageCipher> cipher_;
  Salt salt_{};
  bool verified_ = false;
  std::unique_ptr<Byte[]> scratch_;
  std::size_t scratch_size_ = 0;
};

// Says why in SQLite's error log and returns `rc`: the reason never reaches SQL.
int refuse(int rc, const char* why);

}  // namespace muhur::vault

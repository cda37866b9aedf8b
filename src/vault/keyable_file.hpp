#pragma once
// A database that is opened without a key and may be given one before its first use: by PRAGMA key or
// hexkey, by the same names in its URI, or by the main database of its connection, whose key a database
// that is attached without one inherits. What a program has that knows nothing of Muhur
// (vault/extension.cpp).
//
// Until it has a key it is a plain database if its file is one, or is empty, and locked otherwise: every use
// fails with SQLITE_NOTADB, before SQLite looks at a journal or a WAL. With a key it is a MainFile.
// Private to the vault.

#include <map>
#include <memory>
#include <string>

#include "vault/cipher_choice.hpp"
#include "vault/main_file.hpp"

namespace muhur::vault {

class KeyableFile final : public File {
 public:
  // `name` is what SQLite gave to xOpen: it lives as long as the file is open.
  KeyableFile(sqlite3_file* base, sqlite3_filename name);

  // Takes what the URI says. False and a reason: it must not be opened.
  bool take_uri(const char** why);

  MainFile* encrypted() override { return main_.get(); }

  int close() override { return main_ ? main_->close() : File::close(); }
  int read(void* out, int amount, sqlite3_int64 offset) override;
  int write(const void* from, int amount, sqlite3_int64 offset) override {
    return main_ ? main_->write(from, amount, offset) : File::write(from, amount, offset);
  }
  int truncate(sqlite3_int64 size) override { return main_ ? main_->truncate(size) : File::truncate(size); }
  int sync(int flags) override { return main_ ? main_->sync(flags) : File::sync(flags); }
  int size(sqlite3_int64* out) override { return main_ ? main_->size(out) : File::size(out); }
  int lock(int level) override;
  int unlock(int level) override { return main_ ? main_->unlock(level) : File::unlock(level); }
  int control(int op, void* argument) override;
  int characteristics() override { return encrypting_characteristics(); }
  int shm_map(int region, int size, int extend, void volatile** out) override {
    return main_ ? main_->shm_map(region, size, extend, out) : File::shm_map(region, size, extend, out);
  }
  int shm_lock(int slot, int count, int flags) override {
    return main_ ? main_->shm_lock(slot, count, flags) : File::shm_lock(slot, count, flags);
  }
  int shm_unmap(int remove) override { return main_ ? main_->shm_unmap(remove) : File::shm_unmap(remove); }

 private:
  int on_pragma(char** argument);
  int on_key(char** argument, const std::string& name);
  int on_rekey(char** argument, const std::string& name);
  int on_parameter(char** argument, const std::string& name);

  // Null, or why it cannot be.
  const char* use_key(Key key);
  void give_key(std::shared_ptr<const Key> key, const CipherChoice& choice);
  void find_cipher();
  bool first_page_verifies();
  int before_use();
  bool inherit_key();
  bool is_plain();
  int lock_level();
  // The name of this database in its connection; empty while it has none.
  std::string schema() const;
  void reserve_for_cipher();
  std::optional<CipherChoice> choice() const;

  const sqlite3_filename name_;
  sqlite3** db_ = nullptr;  // SQLite's own pointer to the connection that uses the file
  std::map<std::string, std::string> parameters_;  // of the cipher, as given
  bool stays_plain_ = false;                       // "key=" in the URI: no key is wanted
  bool was_begun_plain_ =
      false;  // SQLite has begun to make it a plain database, with all the page for itself
  std::unique_ptr<MainFile> main_;
};

}  // namespace muhur::vault

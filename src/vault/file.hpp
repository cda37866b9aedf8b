#pragma once
// What the kinds of file share. SQLite allocates a Handle followed by the file of the VFS below; the Handle
// points to a File, whose virtual methods are SQLite's io_methods. The base class passes everything through
// unchanged: it is the file of a plain database, of a super-journal and of a plain database's WAL.
// Private to the vault.

#include "base/bytes.hpp"
#include "vault/sqlite.hpp"

namespace muhur::vault {

class MainFile;

class File {
 public:
  explicit File(sqlite3_file* base) : base_(base) {}
  virtual ~File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  sqlite3_file* base() const { return base_; }
  // The encrypted database that this is; null for any other file.
  virtual MainFile* encrypted() { return nullptr; }

  // SQLite's io_methods; each returns a result code of SQLite's.
  virtual int close() { return base_->pMethods->xClose(base_); }  // the File is deleted afterwards
  virtual int read(void* out, int amount, sqlite3_int64 offset) {
    return base_->pMethods->xRead(base_, out, amount, offset);
  }
  virtual int write(const void* from, int amount, sqlite3_int64 offset) {
    return base_->pMethods->xWrite(base_, from, amount, offset);
  }
  virtual int truncate(sqlite3_int64 size) { return base_->pMethods->xTruncate(base_, size); }
  virtual int sync(int flags) { return base_->pMethods->xSync(base_, flags); }
  virtual int size(sqlite3_int64* out) { return base_->pMethods->xFileSize(base_, out); }
  virtual int lock(int level) { return base_->pMethods->xLock(base_, level); }
  virtual int unlock(int level) { return base_->pMethods->xUnlock(base_, level); }
  virtual int check_reserved(int* out) { return base_->pMethods->xCheckReservedLock(base_, out); }
  virtual int control(int op, void* argument) { return base_->pMethods->xFileControl(base_, op, argument); }
  virtual int sector_size() { return base_->pMethods->xSectorSize(base_); }
  virtual int characteristics() { return base_->pMethods->xDeviceCharacteristics(base_); }
  virtual int shm_map(int region, int size, int extend, void volatile** out) {
    return base_->pMethods->xShmMap(base_, region, size, extend, out);
  }
  virtual int shm_lock(int slot, int count, int flags) {
    return base_->pMethods->xShmLock(base_, slot, count, flags);
  }
  virtual void shm_barrier() { base_->pMethods->xShmBarrier(base_); }
  virtual int shm_unmap(int remove) { return base_->pMethods->xShmUnmap(base_, remove); }
  // Only reached for a plain file: for others SQLite is told that there is no such method.
  virtual int fetch(sqlite3_int64 offset, int amount, void** out) {
    return base_->pMethods->xFetch(base_, offset, amount, out);
  }
  virtual int unfetch(sqlite3_int64 offset, void* page) {
    return base_->pMethods->xUnfetch(base_, offset, page);
  }

 protected:
  // What an encrypting file may say of its device: writes of neighbours do not harm each other (or SQLite
  // would pad and split WAL frames), and nothing is atomic, nothing may be read in part of a page.
  int encrypting_characteristics();
  sqlite3_int64 base_size();  // -1: unknown

  sqlite3_file* const base_;
};

struct Handle {
  sqlite3_file head;  // its pMethods is what SQLite calls
  File* file;
};

// Which of SQLite's io_methods a kind of file offers.
enum class Offers {
  plain_io = 1,       // reads and writes
  shared_memory = 2,  // and a WAL-index
  memory_map = 3,     // and xFetch
};

// Puts `file` behind `handle`; `offers` is cut down to what the VFS below has.
void attach(Handle* handle, File* file, Offers offers);
// The File behind an sqlite3_file of ours; null for a file of another VFS.
File* file_of(sqlite3_file* file);
// The file of the VFS below, in the memory behind the handle.
inline sqlite3_file* base_of(Handle* handle) { return reinterpret_cast<sqlite3_file*>(handle + 1); }

}  // namespace muhur::vault

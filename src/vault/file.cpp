#include "vault/file.hpp"

#include "base/metrics.hpp"

namespace muhur::vault {
namespace {

File* self(sqlite3_file* file) { return reinterpret_cast<Handle*>(file)->file; }

int on_close(sqlite3_file* file) {
  File* const closing = self(file);
  file->pMethods = nullptr;
  const int rc = closing->close();
  delete closing;
  return rc;
}
int on_read(sqlite3_file* f, void* out, int n, sqlite3_int64 at) { return self(f)->read(out, n, at); }
int on_write(sqlite3_file* f, const void* in, int n, sqlite3_int64 at) { return self(f)->write(in, n, at); }
int on_truncate(sqlite3_file* f, sqlite3_int64 size) { return self(f)->truncate(size); }
int on_sync(sqlite3_file* f, int flags) {
  static auto& synced =
      metrics::counter("muhur_fsyncs_total", "Database files and logs made durable (fsync, fdatasync)");
  synced.add();
  return self(f)->sync(flags);
}
int on_size(sqlite3_file* f, sqlite3_int64* out) { return self(f)->size(out); }
int on_lock(sqlite3_file* f, int level) { return self(f)->lock(level); }
int on_unlock(sqlite3_file* f, int level) { return self(f)->unlock(level); }
int on_check_reserved(sqlite3_file* f, int* out) { return self(f)->check_reserved(out); }
int on_control(sqlite3_file* f, int op, void* argument) { return self(f)->control(op, argument); }
int on_sector_size(sqlite3_file* f) { return self(f)->sector_size(); }
int on_characteristics(sqlite3_file* f) { return self(f)->characteristics(); }
int on_shm_map(sqlite3_file* f, int region, int size, int extend, void volatile** out) {
  return self(f)->shm_map(region, size, extend, out);
}
int on_shm_lock(sqlite3_file* f, int slot, int n, int flags) { return self(f)->shm_lock(slot, n, flags); }
void on_shm_barrier(sqlite3_file* f) { self(f)->shm_barrier(); }
int on_shm_unmap(sqlite3_file* f, int remove) { return self(f)->shm_unmap(remove); }
int on_fetch(sqlite3_file* f, sqlite3_int64 at, int n, void** out) { return self(f)->fetch(at, n, out); }
int on_unfetch(sqlite3_file* f, sqlite3_int64 at, void* page) { return self(f)->unfetch(at, page); }

constexpr sqlite3_io_methods methods(int version) {
  return {version,
          on_close,
          on_read,
          on_write,
          on_truncate,
          on_sync,
          on_size,
          on_lock,
          on_unlock,
          on_check_reserved,
          on_control,
          on_sector_size,
          on_characteristics,
          on_shm_map,
          on_shm_lock,
          on_shm_barrier,
          on_shm_unmap,
          on_fetch,
          on_unfetch};
}
constexpr sqlite3_io_methods kMethods[] = {methods(1), methods(2), methods(3)};

}  // namespace

int File::encrypting_characteristics() {
  constexpr int kSubpageRead = 0x8000;  // SQLITE_IOCAP_SUBPAGE_READ of newer SQLites
  constexpr int kHidden = SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_ATOMIC512 | SQLITE_IOCAP_ATOMIC1K |
                          SQLITE_IOCAP_ATOMIC2K | SQLITE_IOCAP_ATOMIC4K | SQLITE_IOCAP_ATOMIC8K |
                          SQLITE_IOCAP_ATOMIC16K | SQLITE_IOCAP_ATOMIC32K | SQLITE_IOCAP_ATOMIC64K |
                          SQLITE_IOCAP_BATCH_ATOMIC | kSubpageRead;
  return (base_->pMethods->xDeviceCharacteristics(base_) & ~kHidden) | SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

sqlite3_int64 File::base_size() {
  sqlite3_int64 bytes = 0;
  return base_->pMethods->xFileSize(base_, &bytes) == SQLITE_OK ? bytes : -1;
}

void attach(Handle* handle, File* file, Offers offers) {
  handle->file = file;
  const int version = std::min(static_cast<int>(offers), base_of(handle)->pMethods->iVersion);
  handle->head.pMethods = &kMethods[std::max(version, 1) - 1];
}

File* file_of(sqlite3_file* file) {
  const bool ours = file && file->pMethods >= std::begin(kMethods) && file->pMethods < std::end(kMethods);
  return ours ? self(file) : nullptr;
}

}  // namespace muhur::vault

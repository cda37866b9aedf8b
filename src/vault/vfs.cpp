#include "vault/vfs.hpp"

#include <fmt/format.h>

#include "base/sync.hpp"
#include "vault/cipher_choice.hpp"
#include "vault/figures.hpp"
#include "vault/journal_file.hpp"
#include "vault/key_registry.hpp"
#include "vault/keyable_file.hpp"
#include "vault/main_file.hpp"
#include "vault/temp_file.hpp"
#include "vault/vfs_layer.hpp"
#include "vault/wal_file.hpp"

namespace muhur::vault {
namespace {

sqlite3_vfs* base_vfs(sqlite3_vfs* vfs) { return vfs_below(vfs); }

// Makes the File for a database; null and a reason when it must not be opened.
File* make_main_file(sqlite3_filename name, sqlite3_file* base, bool keyable, const char** why) {
  const char* const id = name ? sqlite3_uri_parameter(name, "keyid") : nullptr;
  if (!id || !*id) {
    if (!keyable) return new File(base);
    auto file = std::make_unique<KeyableFile>(base, name);
    return file->take_uri(why) ? file.release() : nullptr;
  }
  auto key = find_key(id);
  const auto choice =
      parse_cipher_choice([&](const char* parameter) { return sqlite3_uri_parameter(name, parameter); });
  *why = nullptr;
  if (!key || key->empty())
    *why = "no key behind this keyid";
  else if (!choice)
    *why = "an unknown cipher, or a parameter of it that cannot be";
  else if (sqlite3_uri_boolean(name, "readonly_shm", 0))
    *why = "readonly_shm is not done for encrypted databases";
  else if (choice->kind == CipherKind::aes256cbc && key->is_raw())
    *why = "aes256cbc takes a passphrase, not a raw key";
  else if (choice->plaintext_header > 0 && !choice->salt && !key->salt() && !key->is_raw())
    *why = "a plaintext header leaves no room for the salt: it has to be given";
  if (*why) return nullptr;
  // The file keeps a copy of its own, in locked memory, wiped when the last of main file, WAL and journal
  // is closed: the registered one goes when opening is done.
  auto codec = std::make_shared<PageCodec>(std::make_shared<const Key>(key->copy()), *choice, base);
  return new MainFile(base, std::move(codec), name, sqlite3_uri_boolean(name, "shared", 0) != 0);
}

// The journal or WAL of the database whose name SQLite's name leads to.
template <class Companion>
File* make_companion(sqlite3_filename name, sqlite3_file* base, const char** why) {
  File* const main = name ? file_of(sqlite3_database_file_object(name)) : nullptr;
  if (!main) {
    *why = "a WAL or journal whose database is not of this VFS";
    return nullptr;
  }
  if (const MainFile* encrypted = main->encrypted()) return new Companion(base, encrypted->codec());
  return new File(base);
}

int on_open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* out, int flags, int* out_flags) {
  auto* const handle = reinterpret_cast<Handle*>(out);
  sqlite3_file* const base = base_of(handle);
  handle->head.pMethods = nullptr;
  handle->file = nullptr;
  base->pMethods = nullptr;
  sqlite3_vfs* const below = base_vfs(vfs);
  if (const int rc = below->xOpen(below, name, base, flags, out_flags); rc != SQLITE_OK) {
    if (base->pMethods) base->pMethods->xClose(base);
    return rc;
  }
  constexpr int kTemporary =
      SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL;
  const char* why = "a kind of file that is not known";
  File* file = nullptr;
  Offers offers = Offers::plain_io;
  if (flags & SQLITE_OPEN_MAIN_DB) {
    const bool keyable = layer_of(vfs).keyable;
    file = make_main_file(name, base, keyable, &why);
    offers = keyable || (file && file->encrypted()) ? Offers::shared_memory : Offers::memory_map;
  } else if (flags & SQLITE_OPEN_WAL) {
    file = make_companion<WalFile>(name, base, &why);
  } else if (flags & SQLITE_OPEN_MAIN_JOURNAL) {
    file = make_companion<JournalFile>(name, base, &why);
  } else if (flags & kTemporary) {
    file = new TempFile(base);
  } else if (flags & SQLITE_OPEN_SUPER_JOURNAL) {
    file = new File(base);  // names of files
  }
  if (!file) {
    base->pMethods->xClose(base);
    return refuse(SQLITE_CANTOPEN, why);
  }
  attach(handle, file, offers);
  return SQLITE_OK;
}

int on_delete(sqlite3_vfs* vfs, const char* name, int sync) {
  return base_vfs(vfs)->xDelete(base_vfs(vfs), name, sync);
}
int on_access(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
  return base_vfs(vfs)->xAccess(base_vfs(vfs), name, flags, out);
}
int on_full_pathname(sqlite3_vfs* vfs, const char* name, int size, char* out) {
  return base_vfs(vfs)->xFullPathname(base_vfs(vfs), name, size, out);
}
void* on_dl_open(sqlite3_vfs* vfs, const char* name) { return base_vfs(vfs)->xDlOpen(base_vfs(vfs), name); }
void on_dl_error(sqlite3_vfs* vfs, int size, char* out) { base_vfs(vfs)->xDlError(base_vfs(vfs), size, out); }
void (*on_dl_sym(sqlite3_vfs* vfs, void* library, const char* symbol))(void) {
  return base_vfs(vfs)->xDlSym(base_vfs(vfs), library, symbol);
}
void on_dl_close(sqlite3_vfs* vfs, void* library) { base_vfs(vfs)->xDlClose(base_vfs(vfs), library); }
int on_randomness(sqlite3_vfs* vfs, int size, char* out) {
  return base_vfs(vfs)->xRandomness(base_vfs(vfs), size, out);
}
int on_sleep(sqlite3_vfs* vfs, int microseconds) {
  return base_vfs(vfs)->xSleep(base_vfs(vfs), microseconds);
}
int on_current_time(sqlite3_vfs* vfs, double* out) { return base_vfs(vfs)->xCurrentTime(base_vfs(vfs), out); }
int on_last_error(sqlite3_vfs* vfs, int size, char* out) {
  return base_vfs(vfs)->xGetLastError(base_vfs(vfs), size, out);
}
int on_current_time_64(sqlite3_vfs* vfs, sqlite3_int64* out) {
  return base_vfs(vfs)->xCurrentTimeInt64(base_vfs(vfs), out);
}

Mutex& registration() {
  static auto* const one = new Mutex;
  return *one;
}

Result<void> register_over(const char* base_name, const char* new_name, bool keyable, bool as_default)
    MUHUR_REQUIRES(registration()) {
  if (sqlite3_vfs_find(new_name)) return {};
  sqlite3_vfs* const below = sqlite3_vfs_find(base_name);
  if (!below || below->iVersion < 2)
    return fail(Code::unsupported,
                fmt::format("SQLite has no VFS named {}", base_name ? base_name : "default"));
  auto* const vfs = new sqlite3_vfs{};  // lives as long as the process: SQLite keeps the pointer
  vfs->iVersion = 2;
  vfs->szOsFile = static_cast<int>(sizeof(Handle)) + below->szOsFile;
  vfs->mxPathname = below->mxPathname;
  vfs->zName = new_name;
  vfs->pAppData = new VfsLayer{.below = below, .keyable = keyable};
  vfs->xOpen = on_open;
  vfs->xDelete = on_delete;
  vfs->xAccess = on_access;
  vfs->xFullPathname = on_full_pathname;
  vfs->xDlOpen = on_dl_open;
  vfs->xDlError = on_dl_error;
  vfs->xDlSym = on_dl_sym;
  vfs->xDlClose = on_dl_close;
  vfs->xRandomness = on_randomness;
  vfs->xSleep = on_sleep;
  vfs->xCurrentTime = on_current_time;
  vfs->xGetLastError = on_last_error;
  vfs->xCurrentTimeInt64 = on_current_time_64;
  if (sqlite3_vfs_register(vfs, as_default) != SQLITE_OK) {
    delete static_cast<VfsLayer*>(vfs->pAppData);
    delete vfs;
    return fail(Code::internal, "SQLite did not take the vault's VFS");
  }
  return {};
}

Result<void> register_locked(const char* base_name, const char* new_name, bool keyable, bool as_default) {
  const Lock lock(registration());
  static const int initialized = start_sqlite();
  if (initialized != SQLITE_OK) return fail(Code::internal, "SQLite does not start");
  return register_over(base_name, new_name, keyable, as_default);
}

}  // namespace

Result<void> register_vfs() { return register_vfs_over(nullptr, kVfsName); }

Result<void> register_vfs_over(const char* base_name, const char* new_name) {
  return register_locked(base_name, new_name, false, false);
}

Result<void> register_keyable_vfs(const char* new_name, bool as_default) {
  return register_locked(nullptr, new_name, true, as_default);
}

CipherFigures cipher_figures() {
  return {.pages_encrypted = counters.pages_encrypted.read(),
          .pages_decrypted = counters.pages_decrypted.read(),
          .bad_tags = counters.bad_tags.read(),
          .wal_frames = counters.wal_frames.read(),
          .temp_blocks = counters.temp_blocks.read()};
}

}  // namespace muhur::vault

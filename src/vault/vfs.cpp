#include "vault/vfs.hpp"

#include <sqlite3.h>

#include <charconv>

#include "base/encoding.hpp"
#include "base/sync.hpp"
#include "vault/figures.hpp"
#include "vault/journal_file.hpp"
#include "vault/key_registry.hpp"
#include "vault/main_file.hpp"
#include "vault/temp_file.hpp"
#include "vault/wal_file.hpp"

namespace muhur::vault {
namespace {

sqlite3_vfs* base_vfs(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

// A number in a URI; `absent` when it is not there, nullopt when it is no number up to `most`.
std::optional<std::uint32_t> number(sqlite3_filename name, const char* parameter, std::uint32_t absent,
                                    std::uint32_t most) {
  const char* const text = sqlite3_uri_parameter(name, parameter);
  if (!text) return absent;
  const std::string_view view(text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc() || end != view.data() + view.size() || value > most) return std::nullopt;
  return value;
}

// The cipher that a URI asks for; nullopt when it asks for something that is not known.
std::optional<CipherChoice> cipher_choice(sqlite3_filename name) {
  constexpr std::uint32_t kSqleetRounds = 12'345;
  constexpr std::uint32_t kMostRounds = 100'000'000;
  constexpr std::uint32_t kMostHeader = 100;
  CipherChoice choice;
  const char* const given = sqlite3_uri_parameter(name, "cipher");
  const std::string_view cipher = given ? given : "chacha20";
  const auto legacy = number(name, "legacy", 0, 1);
  if (!legacy) return std::nullopt;
  if (cipher == "aes256cbc" && *legacy == 0)
    choice.kind = CipherKind::aes256cbc;
  else if (cipher == "sqleet" || (cipher == "chacha20" && *legacy == 1))
    choice.kind = CipherKind::sqleet;
  else if (cipher != "chacha20")
    return std::nullopt;
  const bool sqleet = choice.kind == CipherKind::sqleet;
  const auto check = number(name, "hmac_check", 1, 1);
  const auto rounds = number(name, "kdf_iter", sqleet ? kSqleetRounds : kKdfRounds, kMostRounds);
  const auto header = number(name, "plaintext_header_size", 0, kMostHeader);
  const auto page = number(name, "legacy_page_size", 4096, 65536);
  if (!check || !rounds || *rounds == 0 || !header || !page || !is_page_size(*page)) return std::nullopt;
  choice.check_tags = *check == 1;
  choice.kdf_rounds = sqleet ? kSqleetRounds : *rounds;
  choice.plaintext_header = *header;
  choice.fallback_page_size = *page;
  if (const char* const hex = sqlite3_uri_parameter(name, "cipher_salt")) {
    const auto salt = from_hex(hex);
    if (!salt || salt->size() != kSaltSize) return std::nullopt;
    std::copy_n(salt->begin(), kSaltSize, choice.salt.emplace().begin());
  }
  return choice;
}

// Makes the File for a database; null and a reason when it must not be opened.
File* make_main_file(sqlite3_filename name, sqlite3_file* base, const char** why) {
  const char* const id = name ? sqlite3_uri_parameter(name, "keyid") : nullptr;
  if (!id || !*id) return new File(base);
  auto key = find_key(id);
  const auto choice = cipher_choice(name);
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
  if (const auto* encrypted = dynamic_cast<const MainFile*>(main))
    return new Companion(base, encrypted->codec());
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
    file = make_main_file(name, base, &why);
    offers = dynamic_cast<MainFile*>(file) ? Offers::shared_memory : Offers::memory_map;
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

Result<void> register_over(const char* base_name, const char* new_name) MUHUR_REQUIRES(registration()) {
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
  vfs->pAppData = below;
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
  if (sqlite3_vfs_register(vfs, 0) != SQLITE_OK) {
    delete vfs;
    return fail(Code::internal, "SQLite did not take the vault's VFS");
  }
  return {};
}

// Before the first use of SQLite; later SQLite refuses, and its defaults do as well.
void configure_sqlite() {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_config(SQLITE_CONFIG_URI, 1);
}

}  // namespace

Result<void> register_vfs() { return register_vfs_over(nullptr, kVfsName); }

Result<void> register_vfs_over(const char* base_name, const char* new_name) {
  const Lock lock(registration());
  static const int initialized = [] {
    configure_sqlite();
    return sqlite3_initialize();
  }();
  if (initialized != SQLITE_OK) return fail(Code::internal, "SQLite does not start");
  return register_over(base_name, new_name);
}

CipherFigures cipher_figures() {
  return {.pages_encrypted = counters.pages_encrypted.read(),
          .pages_decrypted = counters.pages_decrypted.read(),
          .bad_tags = counters.bad_tags.read(),
          .wal_frames = counters.wal_frames.read(),
          .temp_blocks = counters.temp_blocks.read()};
}

}  // namespace muhur::vault

// libmuhur_vault: the vault's VFS inside a program that has SQLite and nothing of Muhur (docs/vault.md).
//
//   .load ./libmuhur_vault        then .open FILE and PRAGMA key = '…'
//
// It becomes the default VFS, stays loaded as long as the program runs, and sets secure_delete on every
// connection that is opened from then on (P7).
#include "vault/sqlite.hpp"
#include "vault/vfs.hpp"

SQLITE_EXTENSION_INIT1

namespace {

constexpr int kOldest = 3'040'000;

int on_new_connection(sqlite3* db, const char** /*error*/, const sqlite3_api_routines* /*api*/) {
  return sqlite3_exec(db, "PRAGMA secure_delete=ON", nullptr, nullptr, nullptr);
}

int load(sqlite3* db, char** error, const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  if (sqlite3_libversion_number() < kOldest) {
    *error = sqlite3_mprintf("libmuhur_vault needs SQLite 3.40 or newer; this is %s", sqlite3_libversion());
    return SQLITE_ERROR;
  }
  if (const auto done = muhur::vault::register_keyable_vfs(); !done) {
    *error = sqlite3_mprintf("%s", done.error().what.c_str());
    return SQLITE_ERROR;
  }
  using Entry = void (*)();
  const int rc = sqlite3_auto_extension(reinterpret_cast<Entry>(on_new_connection));
  if (rc != SQLITE_OK) return rc;
  on_new_connection(db, nullptr, api);
  return SQLITE_OK_LOAD_PERMANENTLY;
}

}  // namespace

namespace muhur::vault {

int start_sqlite() { return SQLITE_OK; }

}  // namespace muhur::vault

// SQLite looks for the first name, and for the second as it makes it of the file's name.
extern "C" {
[[gnu::visibility("default")]] int sqlite3_extension_init(sqlite3* db, char** error,
                                                          const sqlite3_api_routines* api) {
  return load(db, error, api);
}
[[gnu::visibility("default")]] int sqlite3_muhurvault_init(sqlite3* db, char** error,
                                                           const sqlite3_api_routines* api) {
  return load(db, error, api);
}
}

// The vault as a command, for tests/interop: the same arguments as oracle.mjs there.
//   vault_tool DATABASE KEY CIPHER STEP...
// KEY is the bytes of the key in hex, CIPHER chacha20, sqleet or aes256cbc. A STEP is SQL, whose first
// column of each row is printed; or !kill; or !turn, which prints "ready" and waits for a line.
#include <sqlite3.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/encoding.hpp"
#include "vault/key_registry.hpp"
#include "vault/vfs.hpp"

namespace {

int print_first_column(void*, int, char** values, char**) {
  std::puts(values[0] ? values[0] : "null");
  return 0;
}

int complain(sqlite3* db, const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
  return 1;
}

int run(int argc, char** argv) {
  using namespace muhur;
  if (argc < 4) return 2;
  const std::string cipher = argv[3];
  const auto key_bytes = from_hex(argv[2]);
  if (!key_bytes || !vault::register_vfs()) return 2;
  sqlite3* db = nullptr;
  {
    const vault::RegisteredKey key(vault::Key::parse(*key_bytes));
    const std::string uri =
        std::string("file:") + argv[1] + "?vfs=muhur&cipher=" + cipher + "&keyid=" + key.id();
    if (sqlite3_open_v2(uri.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI,
                        nullptr))
      return complain(db, "open");
  }
  int reserve = cipher == "aes256cbc" ? 0 : vault::kReservedBytes;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserve);
  for (int i = 4; i < argc; ++i) {
    if (std::string_view(argv[i]) == "!kill") {
      std::fflush(stdout);
      ::kill(::getpid(), SIGKILL);
    }
    if (std::string_view(argv[i]) == "!turn") {
      std::puts("ready");
      std::fflush(stdout);
      for (int c = 0; c != '\n' && c != EOF;) c = std::getchar();
      continue;
    }
    if (sqlite3_exec(db, argv[i], print_first_column, nullptr, nullptr) != SQLITE_OK)
      return complain(db, argv[i]);
  }
  return sqlite3_close(db) == SQLITE_OK ? 0 : complain(db, "close");
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }

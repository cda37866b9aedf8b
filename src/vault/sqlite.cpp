#include "vault/sqlite.hpp"

namespace muhur::vault {

// The options first; later SQLite refuses them, and its defaults do as well.
int start_sqlite() {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_config(SQLITE_CONFIG_URI, 1);
  return sqlite3_initialize();
}

}  // namespace muhur::vault

#pragma once
// SQLite's C interface: the library's in the program, and in the loadable extension the table of functions
// that the program which loads it hands over, so that no second SQLite comes along. Private to the vault.

#ifdef MUHUR_VAULT_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

namespace muhur::vault {

// Before the first use of SQLite. The extension's does nothing: SQLite runs already.
int start_sqlite();

}  // namespace muhur::vault

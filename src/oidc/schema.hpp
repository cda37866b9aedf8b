#pragma once
// What oidc/ keeps in directory.db: clients, signing keys, registrations. Private to the folder.

#include "accounts/directory.hpp"

namespace muhur::oidc {

// Creates or migrates the tables. Blocks. Cheap when there is nothing to do.
Result<void> prepare_directory(accounts::Directory& directory);

}  // namespace muhur::oidc

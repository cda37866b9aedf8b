#pragma once
// Another key for a database in place. Every page is encrypted anew; cipher and salt stay, and so does all
// that is stored.

#include <cstdint>
#include <functional>

#include "vault/connection.hpp"

namespace muhur::vault {

// Blocks. busy: somebody else uses the database, or `connection` is in a transaction. corrupt: a page does
// not verify (salvage first). On any failure the database keeps its old key; a crash leaves a rollback
// journal that the next opening under the old key plays back. invalid: a plain database, or no key.
Result<void> rekey(
    Connection& connection, const Key& key,
    const std::function<void(std::uint64_t steps_done, std::uint64_t steps_in_all)>& progress = {});

}  // namespace muhur::vault

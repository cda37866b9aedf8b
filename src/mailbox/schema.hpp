#pragma once
// The tables of a mailbox and what a new one holds. docs/mailbox.md draws them and says why.

#include <span>

#include "base/clock.hpp"
#include "base/secret.hpp"
#include "vault/connection.hpp"
#include "vault/migration.hpp"

namespace muhur::mailbox {

std::span<const vault::Migration> migrations();

// Keys that live only inside the mailbox, and its standard folders: made once, in one transaction. Does
// nothing to a mailbox that has them.
Result<void> provision(vault::Connection& connection, const Clock& clock);

// A value of the table `keys`. corrupt: it is not there.
Result<Secret> stored_key(vault::Connection& connection, std::string_view name);
inline constexpr std::string_view kSealingPublic = "sealing_public";
inline constexpr std::string_view kSealingPrivate = "sealing_private";
inline constexpr std::string_view kContentHashKey = "content_hash";

}  // namespace muhur::mailbox

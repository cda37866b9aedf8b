#pragma once
// Rows of directory.db as the structs of this folder. Private to it.

#include "accounts/users.hpp"
#include "vault/statement.hpp"

// The columns that user_of() reads, in its order. A macro, so that statements stay constants of the program.
#define MUHUR_USER_COLUMNS                                                                                \
  "users.id, users.address, users.display_name, users.mailbox_id, users.sealing_public, users.disabled, " \
  "users.admin, users.quota_bytes, users.created_ms, users.mailbox, users.epoch"

namespace muhur::accounts {

inline constexpr int kUserColumns = 11;

User user_of(const vault::Statement& row);

// not_found when there is none.
Result<User> find_user(vault::Connection& connection, std::string_view canonical);
Result<User> find_user(vault::Connection& connection, UserId id);
Result<User> find_user_of_mailbox(vault::Connection& connection, std::string_view mailbox_id);

// What to say of a user who is not there.
std::unexpected<Error> no_such_user();

}  // namespace muhur::accounts

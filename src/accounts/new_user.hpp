#pragma once
// The row of a new user. Private to this folder.

#include "accounts/credentials.hpp"
#include "vault/connection.hpp"

namespace muhur::accounts {

// exists: the address is taken, or looks like one that is; not_found: no such domain here; invalid: a name
// that is only good for deceiving. Within somebody's transaction.
Result<void> check_address(vault::Connection& c, const AddressParts& parts);
Result<User> insert_user(vault::Connection& c, const NewUser& given, const AddressParts& parts,
                         std::int64_t now_ms);

}  // namespace muhur::accounts

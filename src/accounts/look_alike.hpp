#pragma once
// Names that people take for somebody else's (UTS #39), asked when a user is added. Private to this folder.

#include "accounts/users.hpp"
#include "vault/connection.hpp"

namespace muhur::accounts {

// exists: it looks like the name of somebody here. invalid: letters of scripts that are not written together,
// as only forgers mix them. Names of ASCII alone are what people can tell apart: they are held against others
// only. Within somebody's transaction.
Result<void> check_look_alikes(vault::Connection& c, const AddressParts& parts);

}  // namespace muhur::accounts

#pragma once
// Names that people take for somebody else's (UTS #39), asked when a user is added. Private to this folder.

#include "accounts/users.hpp"
#include "vault/connection.hpp"

namespace muhur::accounts {

// exists: it looks like the name of somebody here. invalid: letters of scripts that are not written together,
// as only forgers mix them. Names of ASCII alone are what people can tell apart: they are held against others
// only. Within somebody's transaction.
Result<void> check_look_alikes(vault::Connection& c, const AddressParts& parts);

// What a name looks like: the same text for two that are taken for each other. Kept beside each user, so that
// a new name is compared with one row of an index and not with every name there is.
std::string look_of(std::string_view folded_local);
// Of users who were added before it was kept.
Result<void> note_looks(vault::Connection& c);

}  // namespace muhur::accounts

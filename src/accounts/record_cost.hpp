#pragma once
// What verifying a password record costs, in the two numbers that a credential's row keeps so that costs can
// be counted (accounts/sign_in_cost.hpp), and a record of nobody's that costs as much:
//   Argon2id, own or PHC   KiB of memory, passes
//   Argon2i                KiB of memory, passes + 65536
//   bcrypt                 0, cost
//   $1$ $5$ $6$            1 | 5 | 6, rounds (of $1$ always 1000)
//   $y$                    7, its two cost characters as one number
// Argon2 takes at least 8 KiB, so the numbers do not meet. Private to this folder.

#include "passwords/record.hpp"

namespace muhur::accounts {

crypto::Argon2Cost cost_of(const passwords::Record& record);

// `salt`: 16 bytes. The verdict on any password means nothing.
passwords::Record record_of_nobody(const crypto::Argon2Cost& cost, ByteView salt);

}  // namespace muhur::accounts

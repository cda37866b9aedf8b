#pragma once
// The page cipher against an answer that was computed elsewhere: for `muhur doctor`, on the machine and with
// the libraries that are in use.

#include "base/error.hpp"

namespace muhur::vault {

// A known page opens to what it must, a changed one does not open, and what is encrypted now opens again.
// internal: it does not; nothing that this machine writes or reads can be trusted.
Result<void> cipher_self_test();

}  // namespace muhur::vault

#pragma once
// PHC strings of Argon2id and Argon2i, "$argon2id$v=19$m=65536,t=3,p=4$SALT$HASH", as other software writes
// them; verified by libsodium.

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::passwords {

// invalid: malformed, or one that asks for more than 1 GiB or 64 passes.
Result<void> check_phc_argon2(std::string_view text);
// What is between the '$' of one that was checked: whether it is Argon2i, and its cost (lanes share it).
struct PhcCost {
  bool argon2i;
  std::uint32_t memory_kib, passes;
};
PhcCost cost_of_phc(std::string_view text);
Result<bool> matches_phc_argon2(const Secret& password, std::string_view text);

}  // namespace muhur::passwords

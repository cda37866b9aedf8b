#pragma once
// Computing: whether a password fits a record. Blocks for tens of milliseconds, so only the pool calls it.

#include <span>

#include "passwords/record.hpp"

namespace muhur::passwords {

struct Verdict {
  bool right = false;
  Secret kek;  // of an own Argon2id record, also when the verifier did not match: check `right`
};

// busy: no memory for it. A password with a NUL inside never fits.
Result<Verdict> verify_one(const Secret& password, const Record& record);

struct BcryptCheck {
  const Secret* password;
  const BcryptRecord* record;
  bool right = false;  // out
};
// 1 to kBcryptLanes of one cost, interleaved.
void verify_together(std::span<BcryptCheck> checks);

}  // namespace muhur::passwords

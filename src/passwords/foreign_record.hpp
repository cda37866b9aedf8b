#pragma once
// Password records as other software exports them: with the name of a scheme in front. What stands behind it
// is a record of record.hpp, or there is no way to verify it here.
//   Dovecot, OpenLDAP   {BLF-CRYPT}$2y$… {ARGON2ID}$argon2id$… {ARGON2I} {SHA512-CRYPT}$6$… {SHA256-CRYPT}
//                       {MD5-CRYPT}$1$… {CRYPT}…
//   Spring              {bcrypt}$2a$…
//   Django              bcrypt$$2b$… argon2$argon2id$…

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muhur::passwords {

// The record, checked. unsupported: a format that cannot be verified here; invalid: a known one, malformed,
// or not of the scheme that is in front of it.
Result<std::string> own_form_of(std::string_view exported);

}  // namespace muhur::passwords

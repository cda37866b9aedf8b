#pragma once
// A stored password record: what was stored decides how it is verified.
//   muhur$argon2id$…        our own: a verifier and a KEK from one run (passwords/argon2.hpp)
//   $argon2id$v=19$…        PHC string, also of argon2i: verified by libsodium
//   $2a$ $2b$ $2y$NN$…      bcrypt: our own lanes (passwords/bcrypt.hpp)
//   $6$ $5$ $y$ $1$ …       other crypt formats: libxcrypt, import only

#include <string>
#include <string_view>
#include <variant>

#include "passwords/argon2.hpp"
#include "passwords/bcrypt.hpp"

namespace muhur::passwords {

struct PhcArgon2 {
  std::string text;
};
struct CryptRecord {
  std::string text;
};
using Record = std::variant<Argon2Record, BcryptRecord, PhcArgon2, CryptRecord>;

// unsupported: a format that is not known; invalid: a known one, malformed.
Result<Record> parse_record(std::string_view text);
std::string to_text(const Record& record);

// Jobs with the same key may be run in one batch: "bcrypt:10". Empty for what is run alone.
std::string batch_key(const Record& record);

}  // namespace muhur::passwords

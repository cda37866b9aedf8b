#pragma once
// One Argon2id run over a password gives both halves: the verifier's preimage and the KEK.
//   64 bytes = Argon2id(NFC(password), salt 16)
//   verifier = BLAKE2b(first 32 bytes)   -> stored
//   KEK      = last 32 bytes             -> wraps the DEK, never stored

#include "base/error.hpp"
#include "crypto/kdf.hpp"

namespace muhur::passwords {

struct Argon2Record {  // what is stored: nothing secret in it helps to open a mailbox
  crypto::Argon2Cost cost;
  Bytes salt;      // 16
  Bytes verifier;  // 32
};

struct Derived {
  Bytes verifier;
  Secret kek;  // 32
};

// Blocks for tens of milliseconds: call it on the password pool.
Result<Derived> derive(const Secret& password, ByteView salt, const crypto::Argon2Cost& cost);

// A record of a password that is being set, with a random salt. Blocks likewise.
struct NewRecord {
  Argon2Record record;
  Secret kek;
};
Result<NewRecord> new_record(const Secret& password, const crypto::Argon2Cost& cost);

// "muhur$argon2id$m=…,t=…$salt$verifier", base64 without padding. Not a PHC string on purpose: the
// verifier is a hash of half the output, so that no other program takes it for one.
std::string to_text(const Argon2Record& record);
Result<Argon2Record> parse_argon2(std::string_view text);

}  // namespace muhur::passwords

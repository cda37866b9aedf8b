#pragma once
// Credentials that Muhur makes itself: random, so nobody can guess them and no slow hash is needed.
//   recovery key  160 bits   8 groups of four in Crockford's base 32: "7ZQ4-…"
//   app password   80 bits   16 letters and digits in groups of four:  "k3vq-…"
// One HKDF-SHA256 with a salt of its own gives 64 bytes: verifier = BLAKE2b(first 32), KEK = last 32, as
// passwords/argon2.hpp does it. So trying ten app passwords costs microseconds beside the one Argon2id run.
// Whoever has the record (which takes server.key) still faces 2^80 HKDFs for each single app password: the
// salts keep them apart.

#include <optional>
#include <string>
#include <string_view>

#include "accounts/credentials.hpp"
#include "passwords/argon2.hpp"

namespace muhur::accounts {

struct QuickRecord {
  Bytes salt;      // 16
  Bytes verifier;  // 32
};

struct MadeSecret {
  std::string shown;  // for its owner, once
  QuickRecord record;
  Secret kek;
};

// `kind`: recovery_key or app_password.
MadeSecret make_secret(CredentialKind kind);

// The random bytes behind what somebody typed: groups and case do not matter. nullopt when it cannot be
// one of that kind.
std::optional<Secret> read_secret(CredentialKind kind, std::string_view typed);

passwords::Derived derive_quick(CredentialKind kind, const Secret& bytes, ByteView salt);

// "muhur$quick$salt$verifier", base64url.
std::string to_text(const QuickRecord& record);
Result<QuickRecord> parse_quick(std::string_view text);

}  // namespace muhur::accounts

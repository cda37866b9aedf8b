#pragma once
// bcrypt with up to four computations interleaved in one thread. One bcrypt is bound by the latency of
// dependent loads, not by the processor's width: four at once take little longer than one.
// Equal to libxcrypt's crypt_r for $2a$, $2b$ and $2y$ (tests/passwords/bcrypt_test.cpp).

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::passwords {

inline constexpr std::size_t kBcryptLanes = 4;
inline constexpr std::size_t kBcryptMaxPassword = 72;  // bytes that count; longer ones are refused at setting

struct BcryptRecord {
  char minor = 'b';  // 'a', 'b' or 'y'
  int cost = 10;     // 4..31
  std::array<Byte, 16> salt{};
  std::array<Byte, 23> hash{};
  bool operator==(const BcryptRecord&) const = default;
};

Result<BcryptRecord> parse_bcrypt(std::string_view text);  // strict: 60 characters, canonical last ones
std::string to_text(const BcryptRecord& record);

struct BcryptJob {
  ByteView password;  // what stands after a NUL or after 72 bytes does not count, as in crypt
  const std::array<Byte, 16>* salt;
  std::array<Byte, 23> hash{};  // out
  char minor = 'b';             // of the record: $2a$ treats some passwords with bytes >= 0x80 differently
};

// 1 to 4 jobs of one cost at once. Working memory (4 KiB of S-boxes a lane) is wiped. Thread-safe.
void bcrypt_batch(std::span<BcryptJob> jobs, int cost);

// A new record with a random salt. New passwords get Argon2id: this is for benches and demonstrations.
// invalid: a NUL inside, longer than bcrypt reads, or a cost that bcrypt does not have.
Result<BcryptRecord> make_bcrypt(ByteView password, int cost);

}  // namespace muhur::passwords

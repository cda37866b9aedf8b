// A record's text, 60 characters:
//   $2b$10$SALTSALTSALTSALTSALTSAHASHHASHHASHHASHHASHHASHHASHHASH
//    |  |  22: 16 bytes            31: 23 bytes, both in bcrypt's own base 64 ("./A-Za-z0-9", no padding)
//    |  two digits: 2^cost expansions
//    a, b or y
#include "passwords/bcrypt.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.hpp"
#include "passwords/bcrypt_lanes.hpp"
#include "passwords/meters.hpp"

namespace muhur::passwords {
namespace {

constexpr std::string_view kDigits = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kSaltText = 22, kHashText = 31;
constexpr std::size_t kTextSize = 7 + kSaltText + kHashText;

std::string encode(ByteView bytes) {
  std::string text;
  std::uint32_t held = 0;
  int bits = 0;
  for (const Byte byte : bytes) {
    held = held << 8 | byte;
    for (bits += 8; bits >= 6; bits -= 6) text += kDigits[held >> (bits - 6) & 63];
  }
  if (bits > 0) text += kDigits[held << (6 - bits) & 63];
  return text;
}

// False for a character that is no digit, and for bits set that no byte has.
bool decode(std::string_view text, MutableBytes into) {
  std::uint32_t held = 0;
  int bits = 0;
  std::size_t at = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return false;
    held = held << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) into[at++] = static_cast<Byte>(held >> (bits -= 8));
  }
  return (held & ((1U << bits) - 1)) == 0;
}

std::unexpected<Error> malformed() {
  return fail(Code::invalid, "a bcrypt record is malformed",
              "It has to be $2a$, $2b$ or $2y$, a cost of two digits from 04 to 31, and 53 characters");
}

// The password as bcrypt reads it: 72 bytes of it and its NUL, repeated. Every crypt() before 2011 that
// came from one source took bytes as signed and let those from 0x80 spill over their neighbours. Under $2a$,
// which may stem from there, libxcrypt makes passwords for which the spill would not have shown (so that
// easier ones share their old hash) begin differently. We have to do the same to verify those records.
void take_password(ByteView password, char minor, lanes::Input& in) {
  std::size_t size = 0;
  while (size < password.size() && size < kBcryptMaxPassword && password[size] != 0) ++size;
  std::size_t at = 0;
  lanes::Word difference = 0;
  bool spilled = false;
  for (std::size_t i = 0; i < lanes::kSubkeys; ++i) {
    lanes::Word word = 0, spilling = 0;
    for (int j = 0; j < 4; ++j) {
      const Byte byte = at < size ? password[at] : Byte{0};
      word = word << 8 | byte;
      spilling = spilling << 8 | static_cast<lanes::Word>(static_cast<std::int8_t>(byte));
      if (j > 0) spilled |= (byte & 0x80) != 0;
      at = at < size ? at + 1 : 0;
    }
    difference |= word ^ spilling;
    in.key[i] = word;
    in.first[i] = word;
  }
  if (minor == 'a' && spilled && difference == 0) in.first[0] ^= 0x10000;
}

template <std::size_t K>
void run(std::span<BcryptJob> jobs, int cost) {
  std::array<lanes::Input, K> in;
  std::array<lanes::Output, K> out;
  for (std::size_t k = 0; k < K; ++k) {
    take_password(jobs[k].password, jobs[k].minor, in[k]);
    for (std::size_t i = 0; i < 4; ++i) in[k].salt[i] = load_be32(jobs[k].salt->data() + 4 * i);
  }
  {
    lanes::Lanes<K> lanes;
    lanes.run(in, cost, out);
  }
  wipe({reinterpret_cast<Byte*>(&in), sizeof in});
  for (std::size_t k = 0; k < K; ++k) {
    std::array<Byte, 24> bytes;
    for (std::size_t i = 0; i < 6; ++i) store_be32(bytes.data() + 4 * i, out[k][i]);
    std::copy_n(bytes.begin(), jobs[k].hash.size(), jobs[k].hash.begin());
  }
}

}  // namespace

Result<BcryptRecord> parse_bcrypt(std::string_view text) {
  if (text.size() != kTextSize || !text.starts_with("$2") || text[3] != '$' || text[6] != '$')
    return malformed();
  BcryptRecord record;
  record.minor = text[2];
  if (record.minor != 'a' && record.minor != 'b' && record.minor != 'y') return malformed();
  if (text[4] < '0' || text[4] > '9' || text[5] < '0' || text[5] > '9') return malformed();
  record.cost = (text[4] - '0') * 10 + (text[5] - '0');
  if (record.cost < 4 || record.cost > 31) return malformed();
  if (!decode(text.substr(7, kSaltText), record.salt)) return malformed();
  if (!decode(text.substr(7 + kSaltText), record.hash)) return malformed();
  return record;
}

std::string to_text(const BcryptRecord& record) {
  return fmt::format("$2{}${:02}${}{}", record.minor, record.cost, encode(record.salt), encode(record.hash));
}

void bcrypt_batch(std::span<BcryptJob> jobs, int cost) {
  const Hashing hashing("bcrypt", jobs.size());
  switch (jobs.size()) {
    case 1:
      return run<1>(jobs, cost);
    case 2:
      return run<2>(jobs, cost);
    case 3:
      return run<3>(jobs, cost);
    case 4:
      return run<4>(jobs, cost);
    default:
      break;
  }
}

Result<BcryptRecord> make_bcrypt(ByteView password, int cost) {
  if (cost < 4 || cost > 31) return fail(Code::invalid, "bcrypt has no such cost", "Give one from 4 to 31");
  if (password.size() > kBcryptMaxPassword)
    return fail(Code::invalid, "the password is too long for bcrypt",
                fmt::format("Use at most {} bytes", kBcryptMaxPassword));
  if (std::ranges::find(password, Byte{0}) != password.end())
    return fail(Code::invalid, "the password has a NUL character", "Leave that character out");
  BcryptRecord record;
  record.cost = cost;
  fill_random(record.salt);
  BcryptJob job{.password = password, .salt = &record.salt};
  bcrypt_batch({&job, 1}, cost);
  record.hash = job.hash;
  return record;
}

}  // namespace muhur::passwords

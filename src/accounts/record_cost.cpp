#include "accounts/record_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/encoding.hpp"
#include "passwords/phc_argon2.hpp"

namespace muhur::accounts {
namespace {

constexpr std::uint32_t kArgon2i = 1U << 16;
constexpr std::uint32_t kLeastArgon2Kib = 8;
enum Crypt : std::uint32_t { bcrypt = 0, md5 = 1, sha256 = 5, sha512 = 6, yescrypt = 7 };
constexpr std::uint32_t kMd5Rounds = 1'000;
constexpr std::uint32_t kShaRounds = 5'000;  // where a record names none

crypto::Argon2Cost cost_of_crypt(std::string_view text) {
  if (text.starts_with("$y$")) {  // $y$jNR$
    const auto code = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<Byte>(text[at])); };
    return {yescrypt, text.size() > 5 ? code(4) << 8 | code(5) : 0};
  }
  if (text.starts_with("$1$")) return {md5, kMd5Rounds};
  std::uint32_t rounds = kShaRounds;
  constexpr std::string_view kRounds = "rounds=";
  if (text.substr(3).starts_with(kRounds))
    std::from_chars(text.data() + 3 + kRounds.size(), text.data() + text.size(), rounds);
  return {text.starts_with("$5$") ? sha256 : sha512, rounds};
}

std::string crypt_of_nobody(const crypto::Argon2Cost& cost, std::string_view salt) {
  switch (cost.memory_kib) {
    case md5:
      return fmt::format("$1${}${}", salt.substr(0, 8), std::string(22, '.'));
    case sha256:
      return fmt::format("$5$rounds={}${}${}", cost.passes, salt, std::string(43, '.'));
    case sha512:
      return fmt::format("$6$rounds={}${}${}", cost.passes, salt, std::string(86, '.'));
    default:
      return fmt::format("$y$j{}{}${}${}", static_cast<char>(cost.passes >> 8 & 0x7F),
                         static_cast<char>(cost.passes & 0x7F), salt, std::string(43, '.'));
  }
}

struct CostOf {
  crypto::Argon2Cost operator()(const passwords::Argon2Record& r) const { return r.cost; }
  crypto::Argon2Cost operator()(const passwords::BcryptRecord& r) const {
    return {bcrypt, static_cast<std::uint32_t>(r.cost)};
  }
  crypto::Argon2Cost operator()(const passwords::PhcArgon2& r) const {
    const auto cost = passwords::cost_of_phc(r.text);
    return {cost.memory_kib, cost.passes + (cost.argon2i ? kArgon2i : 0)};
  }
  crypto::Argon2Cost operator()(const passwords::CryptRecord& r) const { return cost_of_crypt(r.text); }
};

}  // namespace

crypto::Argon2Cost cost_of(const passwords::Record& record) { return std::visit(CostOf(), record); }

passwords::Record record_of_nobody(const crypto::Argon2Cost& cost, ByteView salt) {
  if (cost.memory_kib == bcrypt) {
    passwords::BcryptRecord record;
    record.cost = static_cast<int>(cost.passes);
    std::ranges::copy_n(salt.begin(), record.salt.size(), record.salt.begin());
    return record;
  }
  const std::string letters = to_hex(salt).substr(0, 16);
  if (cost.memory_kib < kLeastArgon2Kib) return passwords::CryptRecord{crypt_of_nobody(cost, letters)};
  if (cost.passes < kArgon2i)
    return passwords::Argon2Record{cost, Bytes(salt.begin(), salt.end()), Bytes(32)};
  return passwords::PhcArgon2{fmt::format("$argon2i$v=19$m={},t={},p=1${}${}", cost.memory_kib,
                                          cost.passes - kArgon2i, letters, std::string(43, 'A'))};
}

}  // namespace muhur::accounts

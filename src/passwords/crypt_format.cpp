#include "passwords/crypt_format.hpp"

#include <crypt.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "passwords/meters.hpp"

namespace muhur::passwords {
namespace {

// What a record may ask for: a damaged or hostile one must not hold a thread for minutes.
constexpr std::uint32_t kMostShaRounds = 2'000'000;  // about a second; the default is 5,000
constexpr char kMostYescryptSize = 'B';  // N = 2^14 blocks of 4 KiB: 64 MiB; the default '9' is 16

std::unexpected<Error> malformed() {
  return fail(Code::invalid, "a crypt record is malformed",
              "Export it again, or have that user set a new password");
}

bool is_crypt_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '/';
}
bool all_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_crypt_digit); }

// The next field, up to '$'; the last one goes to the end.
std::string_view take_field(std::string_view& text) {
  const std::size_t dollar = text.find('$');
  const std::string_view field = text.substr(0, dollar);
  text = dollar == std::string_view::npos ? std::string_view{} : text.substr(dollar + 1);
  return field;
}

// [rounds=N$]SALT$HASH
bool is_sha_crypt(std::string_view rest, std::size_t hash_size) {
  constexpr std::string_view kRounds = "rounds=";
  if (rest.starts_with(kRounds)) {
    const std::string_view field = take_field(rest).substr(kRounds.size());
    std::uint32_t rounds = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), rounds);
    if (error != std::errc() || end != field.data() + field.size()) return false;
    if (rounds < 1'000 || rounds > kMostShaRounds) return false;
  }
  const std::string_view salt = take_field(rest);
  return salt.size() <= 16 && all_digits(salt) && rest.size() == hash_size && all_digits(rest);
}

// jNR$SALT$HASH: j for yescrypt's usual flavour, N and r as one digit each
bool is_yescrypt(std::string_view rest) {
  constexpr std::string_view kOrder = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const std::string_view cost = take_field(rest);
  if (cost.size() != 3 || cost[0] != 'j' || !all_digits(cost)) return false;
  if (kOrder.find(cost[1]) > kOrder.find(kMostYescryptSize) || kOrder.find(cost[2]) > kOrder.find('T'))
    return false;
  const std::string_view salt = take_field(rest);
  return salt.size() <= 86 && all_digits(salt) && rest.size() == 43 && all_digits(rest);
}

bool is_md5_crypt(std::string_view rest) {
  const std::string_view salt = take_field(rest);
  return salt.size() <= 8 && all_digits(salt) && rest.size() == 22 && all_digits(rest);
}

}  // namespace

Result<void> check_crypt_format(std::string_view text) {
  const std::string_view rest = text.substr(std::min<std::size_t>(text.size(), 3));
  bool right;
  if (text.starts_with("$6$")) {
    right = is_sha_crypt(rest, 86);
  } else if (text.starts_with("$5$")) {
    right = is_sha_crypt(rest, 43);
  } else if (text.starts_with("$y$")) {
    right = is_yescrypt(rest);
  } else if (text.starts_with("$1$")) {
    right = is_md5_crypt(rest);
  } else {
    return fail(Code::unsupported, "the password record is of a format that is not known",
                "Known: Argon2 ($argon2id$, $argon2i$), bcrypt ($2a$, $2b$, $2y$), and crypt's $6$, $5$, $y$ "
                "and $1$");
  }
  if (!right) return malformed();
  return {};
}

Result<bool> matches_crypt(const Secret& password, std::string_view text) {
  if (password.text().find('\0') != std::string_view::npos) return false;  // crypt would stop there
  Secret phrase(password.size() + 1);
  std::copy(password.view().begin(), password.view().end(), phrase.writable().begin());
  const std::string setting(text);
  void* state = nullptr;
  int size = 0;
  const char* got = nullptr;
  {
    const Hashing hashing("crypt");
    got = crypt_ra(reinterpret_cast<const char*>(phrase.data()), setting.c_str(), &state, &size);
  }
  // Failure is NULL, or a text that begins with '*' and must never be taken for a hash.
  const bool failed = got == nullptr || got[0] == '*';
  const bool right = !failed && equal_constant_time(as_bytes(got), as_bytes(text));
  if (state != nullptr) wipe({static_cast<Byte*>(state), static_cast<std::size_t>(size)});
  std::free(state);
  if (failed && state == nullptr) return fail(Code::busy, "no memory to verify a password");
  return right;
}

}  // namespace muhur::passwords

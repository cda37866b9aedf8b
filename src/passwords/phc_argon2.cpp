#include "passwords/phc_argon2.hpp"

#include <sodium.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "passwords/meters.hpp"

namespace muhur::passwords {
namespace {

constexpr std::uint32_t kMostMemoryKib = 1U << 20;
constexpr std::uint32_t kMostPasses = 64;
constexpr std::uint32_t kMostLanes = 16;

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint32_t> take_number(std::string_view& text, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.front() == '0' || value > most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool is_base64(std::string_view text, std::size_t least, std::size_t most) {
  return text.size() >= least && text.size() <= most && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
                  c == '/';
         });
}

constexpr std::string_view kArgon2i = "$argon2i$";

std::optional<PhcCost> read_phc(std::string_view text) {
  const bool argon2i = take(text, kArgon2i);
  if ((!argon2i && !take(text, "$argon2id$")) || !take(text, "v=19$m=")) return std::nullopt;
  const auto memory = take_number(text, kMostMemoryKib);
  if (!memory || !take(text, ",t=")) return std::nullopt;
  const auto passes = take_number(text, kMostPasses);
  if (!passes || !take(text, ",p=")) return std::nullopt;
  const auto lanes = take_number(text, kMostLanes);
  if (!lanes || *memory < 8 * *lanes || !take(text, "$")) return std::nullopt;
  const std::size_t dollar = text.find('$');
  if (dollar == std::string_view::npos || !is_base64(text.substr(0, dollar), 11, 86) ||
      !is_base64(text.substr(dollar + 1), 22, 86))
    return std::nullopt;
  return PhcCost{argon2i, *memory, *passes};
}

}  // namespace

Result<void> check_phc_argon2(std::string_view text) {
  if (read_phc(text)) return {};
  return fail(Code::invalid, "an Argon2 record is malformed, or asks for too much",
              "It has to be $argon2id$v=19$m=…,t=…,p=…$salt$hash with at most 1 GiB and 64 passes");
}

PhcCost cost_of_phc(std::string_view text) { return read_phc(text).value_or(PhcCost{}); }

Result<bool> matches_phc_argon2(const Secret& password, std::string_view text) {
  if (sodium_init() < 0) return fail(Code::internal, "libsodium does not start");
  const std::string record(text);
  const Hashing hashing("argon2id");
  const auto verify =
      text.starts_with(kArgon2i) ? crypto_pwhash_argon2i_str_verify : crypto_pwhash_argon2id_str_verify;
  return verify(record.c_str(), reinterpret_cast<const char*>(password.data()), password.size()) == 0;
}

}  // namespace muhur::passwords

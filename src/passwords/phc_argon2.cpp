#include "passwords/phc_argon2.hpp"

#include <sodium.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

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

bool is_phc(std::string_view text) {
  if (!take(text, "$argon2id$v=19$m=")) return false;
  const auto memory = take_number(text, kMostMemoryKib);
  if (!memory || !take(text, ",t=") || !take_number(text, kMostPasses)) return false;
  if (!take(text, ",p=")) return false;
  const auto lanes = take_number(text, kMostLanes);
  if (!lanes || *memory < 8 * *lanes || !take(text, "$")) return false;
  const std::size_t dollar = text.find('$');
  if (dollar == std::string_view::npos) return false;
  return is_base64(text.substr(0, dollar), 11, 86) && is_base64(text.substr(dollar + 1), 22, 86);
}

}  // namespace

Result<void> check_phc_argon2(std::string_view text) {
  if (is_phc(text)) return {};
  return fail(Code::invalid, "an Argon2id record is malformed, or asks for too much",
              "It has to be $argon2id$v=19$m=…,t=…,p=…$salt$hash with at most 1 GiB and 64 passes");
}

Result<bool> matches_phc_argon2(const Secret& password, std::string_view text) {
  if (sodium_init() < 0) return fail(Code::internal, "libsodium does not start");
  const std::string record(text);
  return crypto_pwhash_argon2id_str_verify(record.c_str(), reinterpret_cast<const char*>(password.data()),
                                           password.size()) == 0;
}

}  // namespace muhur::passwords

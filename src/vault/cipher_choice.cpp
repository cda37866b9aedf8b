#include "vault/cipher_choice.hpp"

#include <charconv>

#include "base/encoding.hpp"

namespace muhur::vault {
namespace {

// A number; `absent` when it is not there, nullopt when it is no number up to `most`.
std::optional<std::uint32_t> number(const char* text, std::uint32_t absent, std::uint32_t most) {
  if (!text) return absent;
  const std::string_view view(text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc() || end != view.data() + view.size() || value > most) return std::nullopt;
  return value;
}

}  // namespace

std::optional<CipherChoice> parse_cipher_choice(const Parameters& given) {
  constexpr std::uint32_t kSqleetRounds = 12'345;
  constexpr std::uint32_t kMostRounds = 100'000'000;
  constexpr std::uint32_t kMostHeader = 100;
  CipherChoice choice;
  const char* const named = given("cipher");
  const std::string_view cipher = named ? named : "chacha20";
  const auto legacy = number(given("legacy"), 0, 1);
  if (!legacy) return std::nullopt;
  if (cipher == "aes256cbc" && *legacy == 0)
    choice.kind = CipherKind::aes256cbc;
  else if (cipher == "sqleet" || (cipher == "chacha20" && *legacy == 1))
    choice.kind = CipherKind::sqleet;
  else if (cipher != "chacha20")
    return std::nullopt;
  const bool sqleet = choice.kind == CipherKind::sqleet;
  const auto check = number(given("hmac_check"), 1, 1);
  const auto rounds = number(given("kdf_iter"), sqleet ? kSqleetRounds : kKdfRounds, kMostRounds);
  const auto header = number(given("plaintext_header_size"), 0, kMostHeader);
  const auto page = number(given("legacy_page_size"), 4096, 65536);
  if (!check || !rounds || *rounds == 0 || !header || !page || !is_page_size(*page)) return std::nullopt;
  choice.check_tags = *check == 1;
  choice.kdf_rounds = sqleet ? kSqleetRounds : *rounds;
  choice.plaintext_header = *header;
  choice.fallback_page_size = *page;
  if (const char* const hex = given("cipher_salt")) {
    const auto salt = from_hex(hex);
    if (!salt || salt->size() != kSaltSize) return std::nullopt;
    std::copy_n(salt->begin(), kSaltSize, choice.salt.emplace().begin());
  }
  return choice;
}

const char* name_of(CipherKind kind) {
  switch (kind) {
    case CipherKind::chacha20:
      return "chacha20";
    case CipherKind::sqleet:
      return "sqleet";
    case CipherKind::aes256cbc:
      return "aes256cbc";
  }
  return "unknown";
}

}  // namespace muhur::vault

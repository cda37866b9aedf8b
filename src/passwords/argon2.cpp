// A record's text:
//   muhur$argon2id$m=19456,t=2$SALT$VERIFIER
// SALT (16 bytes) and VERIFIER (32 bytes) in base64 without padding. One text for one record: numbers
// have no leading zeros, nothing may follow.
#include "passwords/argon2.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "crypto/mac.hpp"
#include "passwords/meters.hpp"

namespace muhur::passwords {
namespace {

constexpr std::size_t kSaltSize = 16;
constexpr std::size_t kVerifierSize = 32;
constexpr std::size_t kKekSize = 32;
// What a record may ask for: a damaged one must not stop the server for minutes.
constexpr std::uint32_t kMostMemoryKib = 1U << 20;
constexpr std::uint32_t kMostPasses = 64;

std::string unpadded(ByteView bytes) {
  std::string text = to_base64(bytes);
  while (text.ends_with('=')) text.pop_back();
  return text;
}

std::optional<Bytes> from_unpadded(std::string_view text, std::size_t size) {
  if (text.find('=') != std::string_view::npos) return std::nullopt;
  std::string padded(text);
  while (padded.size() % 4 != 0) padded += '=';
  auto bytes = from_base64(padded);
  if (!bytes || bytes->size() != size) return std::nullopt;
  return bytes;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.front() == '0') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::unexpected<Error> damaged() {
  return fail(Code::corrupt, "a stored password record cannot be read",
              "Reset that user's password with the recovery key");
}

}  // namespace

Result<Derived> derive(const Secret& password, ByteView salt, const crypto::Argon2Cost& cost) {
  const Hashing hashing("argon2id");
  MUHUR_TRY(const Secret both, crypto::argon2id(password.view(), salt, cost, kVerifierSize + kKekSize));
  const crypto::Digest verifier = crypto::blake2b(both.view().first(kVerifierSize));
  return Derived{Bytes(verifier.begin(), verifier.end()), both.slice(kVerifierSize, kKekSize)};
}

Result<NewRecord> new_record(const Secret& password, const crypto::Argon2Cost& cost) {
  Argon2Record record{cost, random_bytes(kSaltSize), {}};
  MUHUR_TRY(Derived derived, derive(password, record.salt, cost));
  record.verifier = std::move(derived.verifier);
  return NewRecord{std::move(record), std::move(derived.kek)};
}

std::string to_text(const Argon2Record& record) {
  return fmt::format("muhur$argon2id$m={},t={}${}${}", record.cost.memory_kib, record.cost.passes,
                     unpadded(record.salt), unpadded(record.verifier));
}

Result<Argon2Record> parse_argon2(std::string_view text) {
  if (!take(text, "muhur$argon2id$m=")) return damaged();
  const auto memory = take_number(text);
  if (!memory || !take(text, ",t=")) return damaged();
  const auto passes = take_number(text);
  if (!passes || !take(text, "$")) return damaged();
  if (*memory < 8 || *memory > kMostMemoryKib || *passes > kMostPasses) return damaged();
  const std::size_t dollar = text.find('$');
  if (dollar == std::string_view::npos) return damaged();
  auto salt = from_unpadded(text.substr(0, dollar), kSaltSize);
  auto verifier = from_unpadded(text.substr(dollar + 1), kVerifierSize);
  if (!salt || !verifier) return damaged();
  return Argon2Record{{*memory, *passes}, std::move(*salt), std::move(*verifier)};
}

}  // namespace muhur::passwords

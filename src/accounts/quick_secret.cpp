#include "accounts/quick_secret.hpp"

#include <fmt/format.h>

#include "base/encoding.hpp"
#include "base/random.hpp"
#include "base/unicode.hpp"
#include "crypto/kdf.hpp"
#include "crypto/mac.hpp"

namespace muhur::accounts {
namespace {

constexpr std::size_t kRecoveryBytes = 20;
constexpr std::size_t kAppPasswordBytes = 10;
constexpr std::size_t kSaltSize = 16;
constexpr std::size_t kHalf = 32;
constexpr std::size_t kLongestTyped = 128;
constexpr std::string_view kPrefix = "muhur$quick$";

std::size_t size_of(CredentialKind kind) {
  return kind == CredentialKind::recovery_key ? kRecoveryBytes : kAppPasswordBytes;
}

}  // namespace

MadeSecret make_secret(CredentialKind kind) {
  const Secret bytes = Secret::random(size_of(kind));
  MadeSecret made;
  made.shown = to_crockford(bytes.view());
  if (kind == CredentialKind::app_password) made.shown = to_lower_ascii(made.shown);
  made.record.salt = random_bytes(kSaltSize);
  passwords::Derived derived = derive_quick(kind, bytes, made.record.salt);
  made.record.verifier = std::move(derived.verifier);
  made.kek = std::move(derived.kek);
  return made;
}

std::optional<Secret> read_secret(CredentialKind kind, std::string_view typed) {
  if (typed.size() > kLongestTyped) return std::nullopt;
  std::optional<Bytes> bytes = from_crockford(typed);
  if (!bytes || bytes->size() != size_of(kind)) return std::nullopt;
  Secret secret{ByteView(*bytes)};
  wipe(*bytes);
  return secret;
}

passwords::Derived derive_quick(CredentialKind kind, const Secret& bytes, ByteView salt) {
  const std::string_view info =
      kind == CredentialKind::recovery_key ? "muhur recovery key 1" : "muhur app password 1";
  const Secret both = crypto::hkdf(bytes.view(), salt, info, 2 * kHalf);
  const crypto::Digest verifier = crypto::blake2b(both.view().first(kHalf));
  return {Bytes(verifier.begin(), verifier.end()), both.slice(kHalf, kHalf)};
}

std::string to_text(const QuickRecord& record) {
  return fmt::format("{}{}${}", kPrefix, to_base64url(record.salt), to_base64url(record.verifier));
}

Result<QuickRecord> parse_quick(std::string_view text) {
  if (text.starts_with(kPrefix)) {
    text.remove_prefix(kPrefix.size());
    const std::size_t dollar = text.find('$');
    if (dollar != std::string_view::npos) {
      auto salt = from_base64url(text.substr(0, dollar));
      auto verifier = from_base64url(text.substr(dollar + 1));
      if (salt && verifier && salt->size() == kSaltSize && verifier->size() == kHalf)
        return QuickRecord{std::move(*salt), std::move(*verifier)};
    }
  }
  return fail(Code::corrupt, "a stored credential's record cannot be read", "Make that credential anew");
}

}  // namespace muhur::accounts

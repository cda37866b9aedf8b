#include "accounts/key_wrap.hpp"

#include "crypto/aead.hpp"

namespace muhur::accounts {
namespace {

constexpr std::size_t kDekSize = 32;

Bytes context_of(UserId user, std::string_view mailbox_id) {
  Bytes context(8);
  store_be64(context.data(), static_cast<std::uint64_t>(user));
  context.insert(context.end(), mailbox_id.begin(), mailbox_id.end());
  return context;
}

}  // namespace

std::string_view wrap_purpose(CredentialKind kind) {
  switch (kind) {
    case CredentialKind::password:
      return "dek-wrap:password";
    case CredentialKind::recovery_key:
      return "dek-wrap:recovery-key";
    case CredentialKind::app_password:
      return "dek-wrap:app-password";
  }
  return "dek-wrap:unknown";
}

Bytes wrap_dek(const Secret& kek, const Secret& dek, std::string_view purpose, UserId user,
               std::string_view mailbox_id) {
  return crypto::seal_box(kek, dek.view(), purpose, context_of(user, mailbox_id));
}

Result<Secret> unwrap_dek(const Secret& kek, ByteView wrap, std::string_view purpose, UserId user,
                          std::string_view mailbox_id) {
  MUHUR_TRY(Secret dek, crypto::open_box(kek, wrap, purpose, context_of(user, mailbox_id)));
  if (dek.size() != kDekSize) return fail(Code::corrupt, "a wrapped mailbox key has a wrong size");
  return dek;
}

}  // namespace muhur::accounts

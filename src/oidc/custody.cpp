// A wrap is a crypto::seal_box: key HKDF-SHA256(secret, "muhur oauth custody"), purpose as below, context the
// user's id (8 bytes, big-endian).
#include "oidc/custody.hpp"

#include <array>

#include "crypto/aead.hpp"
#include "crypto/kdf.hpp"

namespace muhur::oidc {
namespace {

constexpr std::string_view kSuccessor = "oauth-successor";

std::string_view purpose_of(Custody custody) {
  switch (custody) {
    case Custody::session:
      return "dek-wrap:session";
    case Custody::code:
      return "dek-wrap:code";
    case Custody::refresh_token:
      return "dek-wrap:refresh-token";
    case Custody::access_token:
      return "dek-wrap:access-token";
    case Custody::device_code:
      return "dek-wrap:device-code";
  }
  return "";
}

Secret key_of(std::string_view secret) {
  return crypto::hkdf(as_bytes(secret), {}, "muhur oauth custody", crypto::kAeadKeySize);
}

std::array<Byte, 8> context_of(accounts::UserId user) {
  std::array<Byte, 8> context;
  store_be64(context.data(), static_cast<std::uint64_t>(user));
  return context;
}

}  // namespace

Bytes wrap_under(std::string_view secret, Custody custody, accounts::UserId user, const Secret& dek) {
  return crypto::seal_box(key_of(secret), dek.view(), purpose_of(custody), context_of(user));
}

std::optional<Bytes> wrap_if_any(std::string_view secret, Custody custody, accounts::UserId user,
                                 const Secret& dek) {
  if (dek.empty()) return std::nullopt;
  return wrap_under(secret, custody, user, dek);
}

Result<Secret> unwrap_with(std::string_view secret, Custody custody, accounts::UserId user, ByteView wrap) {
  return crypto::open_box(key_of(secret), wrap, purpose_of(custody), context_of(user));
}

Bytes seal_under(std::string_view secret, std::string_view text) {
  return crypto::seal_box(key_of(secret), as_bytes(text), kSuccessor);
}

Result<Secret> open_under(std::string_view secret, ByteView box) {
  return crypto::open_box(key_of(secret), box, kSuccessor);
}

}  // namespace muhur::oidc

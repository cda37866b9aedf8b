#pragma once
// How a mailbox's key (DEK) passes from hand to hand: each row holds it wrapped under a key derived from the
// secret whose hash names the row. Whoever shows the secret lets the server open the wrap; at rest nothing
// does. Thread-safe.

#include <optional>

#include "accounts/users.hpp"
#include "base/secret.hpp"

namespace muhur::oidc {

// What a wrap was made for: one that was moved elsewhere does not open.
enum class Custody { session, code, refresh_token, access_token, device_code };

Bytes wrap_under(std::string_view secret, Custody custody, accounts::UserId user, const Secret& dek);
// nullopt for an empty `dek`.
std::optional<Bytes> wrap_if_any(std::string_view secret, Custody custody, accounts::UserId user,
                                 const Secret& dek);
// denied: another secret, another use, another user.
Result<Secret> unwrap_with(std::string_view secret, Custody custody, accounts::UserId user, ByteView wrap);

// A text under a secret: the successor of a refresh token.
Bytes seal_under(std::string_view secret, std::string_view text);
Result<Secret> open_under(std::string_view secret, ByteView box);

}  // namespace muhur::oidc

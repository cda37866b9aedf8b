#pragma once
// The mailbox's key (DEK) under the key (KEK) that only a credential's owner can derive: a crypto::seal_box
// whose purpose names the credential's kind and whose context is user id (8 bytes, big-endian) | mailbox id.
// A wrap moved to another user, mailbox or kind does not open.

#include <string_view>

#include "accounts/credentials.hpp"
#include "base/secret.hpp"

namespace muhur::accounts {

// "dek-wrap:password", "dek-wrap:recovery-key", "dek-wrap:app-password".
std::string_view wrap_purpose(CredentialKind kind);

// Both keys have 32 bytes. `purpose` is one of the above, or another's own ("dek-wrap:refresh-token").
Bytes wrap_dek(const Secret& kek, const Secret& dek, std::string_view purpose, UserId user,
               std::string_view mailbox_id);
// denied when anything differs.
Result<Secret> unwrap_dek(const Secret& kek, ByteView wrap, std::string_view purpose, UserId user,
                          std::string_view mailbox_id);

}  // namespace muhur::accounts

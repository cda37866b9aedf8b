#pragma once
// Proof of who somebody is, and the key that it opens; or one same refusal. A wrong password, an unknown
// address and a disabled user look and cost the same: one Argon2id run and the same error (denied, the same
// text). An address without a password record pays the run of a made-up one (accounts/sign_in_cost.hpp).
// After a success, a record whose cost is not the configured one is made anew with it: a second run, which
// tells nothing to anyone who does not have the password.

#include <memory>

#include "accounts/credentials.hpp"
#include "accounts/lockout.hpp"

namespace muhur::accounts {

struct SignedIn {
  User user;
  Secret dek;  // 32 bytes: opens the mailbox
  CredentialKind how = CredentialKind::password;
};

class SignIn {
 public:
  explicit SignIn(Directory& directory, crypto::Argon2Cost cost = {}, LockoutLimits limits = {});
  ~SignIn();

  // Blocks for a hash: call it on the password pool. `peer` is for the audit log and the delay.
  // denied as above; busy when too many wrong guesses came lately (with the seconds to wait in the remedy).
  Result<SignedIn> with_password(std::string_view address, ByteView password, std::string_view peer);
  // The recovery key opens once more what the password opened. It counts apart from the password, so that
  // somebody else's guessing does not keep its owner from recovering. Quick: needs no pool of its own.
  Result<SignedIn> with_recovery_key(std::string_view address, std::string_view recovery_key,
                                     std::string_view peer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::accounts

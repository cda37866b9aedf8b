#pragma once
// Proof of who somebody is, and the key that it opens; or one same refusal. A wrong password, an unknown
// address and a disabled user look and cost the same: one Argon2id run and the same error (denied, the same
// text). An address without a password record pays the run of a made-up one (accounts/sign_in_cost.hpp).
// After a success, a record of another kind or cost than the configured is made anew: a second run, which
// tells nothing to anyone who does not have the password.
//
// Between prepare() and conclude() the password is verified, wherever that is done best:
//   prepare    lockout, then what is stored (or made up); nothing is hashed
//   …          passwords::verify_one, or a passwords::Verifier (accounts/sign_in_async.hpp)
//   conclude   the verdict, app passwords, the key; or the refusal
//
// A record that did not come from here (bcrypt, PHC) gives no key. Of a user who is to have a mailbox,
// finish_first() makes both; who never has one gets an empty dek.

#include <memory>

#include "accounts/credentials.hpp"
#include "accounts/first_sign_in.hpp"
#include "accounts/lockout.hpp"
#include "passwords/verify.hpp"

namespace muhur::accounts {

struct SignedIn {
  User user;
  Secret dek;  // 32 bytes: opens the mailbox; empty: there is none
  CredentialKind how = CredentialKind::password;
};

class SignIn {
 public:
  // `upgrade`: whether records are made anew after a success.
  explicit SignIn(Directory& directory, crypto::Argon2Cost cost = {}, LockoutLimits limits = {},
                  bool upgrade = true);
  ~SignIn();
  // Who makes the mailboxes of imported users. Once, before the first sign-in; without it they get an empty
  // dek.
  void make_mailboxes_with(MakeMailbox make);

  // A sign-in between its two halves. Must not outlive its SignIn.
  class Started {
   public:
    Started(Started&&) noexcept;
    Started& operator=(Started&&) = delete;
    ~Started();
    const Secret& password() const;           // in its normal form
    const passwords::Record& record() const;  // to verify it against

   private:
    friend class SignIn;
    struct State;
    explicit Started(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  // Blocks for a read, and for attempts on the same account that are being verified. denied and busy as in
  // with_password.
  Result<Started> prepare(std::string_view address, ByteView password, std::string_view peer);
  // The same, and blocks for a read only: nothing while others have all the places of that account
  // (Lockout::try_admit, with `again`).
  Result<std::optional<Started>> try_prepare(std::string_view address, ByteView password,
                                             std::string_view peer, std::function<void()> again);
  // Blocks for no hash. The refusal, or who it is. Once.
  Result<SignedIn> conclude(Started& started, const passwords::Verdict& verdict);
  // Whether finish_first() has to follow this success: the user's mailbox is still to be made.
  bool wants_mailbox(const SignedIn& in) const;
  // Blocks for a new mailbox. `record`: new, of that password. Errors are those of FirstSignIn::finish.
  Result<SignedIn> finish_first(const Started& started, SignedIn in, const passwords::NewRecord& record);
  // Whether finish_upgrade() has something to do after this success.
  bool wants_upgrade(const Started& started, const SignedIn& in) const;
  // Blocks for no hash. What fails is logged, also what `record` failed with: the old record stays good.
  void finish_upgrade(const Started& started, const SignedIn& in, const Result<passwords::NewRecord>& record);
  crypto::Argon2Cost cost() const;  // of new records

  // Blocks for a hash: call it on the password pool. `peer` is for the audit log and the delay.
  // denied as above; busy when too many wrong guesses came lately (with the seconds to wait in the remedy).
  Result<SignedIn> with_password(std::string_view address, ByteView password, std::string_view peer);
  // The recovery key opens once more what the password opened. It counts apart from the password, so that
  // somebody else's guessing does not keep its owner from recovering. Quick: needs no pool of its own.
  Result<SignedIn> with_recovery_key(std::string_view address, std::string_view recovery_key,
                                     std::string_view peer);

 private:
  struct Impl;
  Result<Started> load_record(const std::string& account, Secret password, std::string_view peer,
                              Lockout::Attempt attempt);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muhur::accounts

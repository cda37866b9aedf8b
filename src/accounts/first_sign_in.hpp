#pragma once
// The first success of a user who was imported: the mailbox, its key, and the wrap of that key under the
// password come into being, once, however many sign in at the same time. Only now is there a password to
// derive a key from; the record from elsewhere gave none. It becomes one of ours, whatever passwords.upgrade
// says, since no other can hold a wrap.
//
// A recovery key is not made here: nobody is there to write it down. Its owner asks for one
// (`muhur user recovery-key`). Private to this folder but for MakeMailbox.

#include <array>
#include <functional>
#include <string>

#include "accounts/key_wrap.hpp"
#include "base/sync.hpp"
#include "passwords/argon2.hpp"

namespace muhur::accounts {

// A mailbox file that belongs to nobody yet.
struct NewMailbox {
  std::string id;
  Bytes sealing_public;
  Secret dek;
};
// Makes one and lets `give` write it to its user; when that fails the file goes again and the error comes
// back. Blocks.
using GiveMailbox = std::function<Result<void>(const NewMailbox&)>;
using MakeMailbox = std::function<Result<void>(const GiveMailbox& give)>;

class FirstSignIn {
 public:
  FirstSignIn(Directory& directory, MakeMailbox make) : directory_(directory), make_(std::move(make)) {}

  struct Proved {
    User user;
    std::int64_t credential;
    std::string record;  // that was verified
  };
  struct Ready {
    User user;
    Secret dek;
  };
  // `password` in its normal form, `record` made of it. The user as it is now, with the key; also when
  // another sign-in was quicker (then, and only then, there is a hash to compute). denied: the account or its
  // password was changed meanwhile. What fails leaves it to the next sign-in. Blocks for a mailbox file.
  // Thread-safe.
  Result<Ready> finish(const Proved& proved, const Secret& password, const passwords::NewRecord& record,
                       std::string_view peer);

 private:
  Result<Ready> make(const Proved& proved, const passwords::NewRecord& record, std::string_view peer);
  Result<Ready> join(const User& user, const Secret& password);

  Directory& directory_;
  const MakeMailbox make_;
  std::array<Mutex, 64> turns_;  // by user
};

}  // namespace muhur::accounts

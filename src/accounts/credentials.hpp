#pragma once
// The credentials of a user: each is a record that verifies it and a wrap of the mailbox's key (DEK) under
// what only its owner can derive. Changing a password rewraps 32 bytes.

#include <string>
#include <vector>

#include "accounts/users.hpp"
#include "passwords/argon2.hpp"

namespace muhur::accounts {

enum class CredentialKind { password = 1, recovery_key = 2, app_password = 3 };

inline constexpr std::size_t kMostAppPasswords = 32;  // of one user: each sign-in tries them all

struct CredentialInfo {
  std::int64_t id;
  CredentialKind kind;
  std::string name;  // of an app password
  std::int64_t created_ms, last_used_ms;
};

// A new user with its first password and its recovery key, in one transaction.
struct NewUser {
  std::string address;
  std::string display_name;
  std::string mailbox_id;
  Bytes sealing_public;
  bool admin = false;
  std::int64_t quota_bytes = 0;
  bool disabled = false;
  MailboxState mailbox = MailboxState::ready;
};
struct Created {
  User user;
  std::string recovery_key;  // printed once, stored nowhere: groups of four letters
};

class Credentials {
 public:
  explicit Credentials(Directory& directory, crypto::Argon2Cost cost = {})
      : directory_(directory), cost_(cost) {}

  // exists: the address is taken. not_found: no such domain here.
  Result<Created> create_user(const NewUser& user, const Secret& password, const Secret& dek);
  // Users with a record of passwords/record.hpp from elsewhere ("$2b$10$…"), all in one transaction. A
  // mailbox is made at their first sign-in, or never. exists, not_found as above; invalid, unsupported: the
  // record.
  struct Imported {
    std::string address, display_name, record;
    bool with_mailbox = false;
    bool admin = false, disabled = false;
    std::int64_t quota_bytes = 0;
  };
  Result<void> import_users(const std::vector<Imported>& users);
  // What import_users would refuse, by place. Nothing is written.
  struct ImportProblem {
    std::size_t index;
    Error error;
  };
  Result<std::vector<ImportProblem>> check_import(const std::vector<Imported>& users);
  // Rewraps: the old password's record and wrap are replaced in one transaction. `dek` comes from a sign-in;
  // empty for a user who never has a mailbox.
  Result<void> set_password(UserId user, const Secret& password, const Secret& dek);
  // A new recovery key in place of the old one.
  Result<std::string> renew_recovery_key(UserId user, const Secret& dek);
  // A random app password (returned once), with a wrap of its own.
  // exists: that name is used. limit: kMostAppPasswords.
  Result<std::string> add_app_password(UserId user, std::string_view name, const Secret& dek);
  // conflict: it is the last one, without which nobody could open the mailbox.
  Result<void> remove(UserId user, std::int64_t credential);
  Result<std::vector<CredentialInfo>> list(UserId user);

 private:
  Directory& directory_;
  crypto::Argon2Cost cost_;
};

}  // namespace muhur::accounts

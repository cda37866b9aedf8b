#pragma once
// Domains and users. An address is "local@domain": the local part is compared case-folded and in NFC, the
// domain as its lower-case A-label. Names are unique in that form.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accounts/directory.hpp"

namespace muhur::accounts {

using UserId = std::int64_t;

// Whether there is a file of the user's mail.
enum class MailboxState {
  none = 0,              // an identity for signing in elsewhere, and no mail, for good
  ready = 1,
  at_first_sign_in = 2,  // imported: made when its owner first shows the password (accounts/first_sign_in.hpp)
};

struct User {
  UserId id = 0;
  std::string address;  // as shown: the local part as given, the domain in its compared form
  std::string display_name;
  std::string mailbox_id;  // random; names the file under DATA/mail once there is one
  Bytes sealing_public;    // 32 bytes: mail is sealed to it while the user is away
  bool disabled = false;
  bool admin = false;
  std::int64_t quota_bytes = 0;  // 0: none
  std::int64_t created_ms = 0;
  MailboxState mailbox = MailboxState::ready;
  // Grows when the password is set anew and when the user is disabled, in the same transaction: what somebody
  // began in an earlier one (a session, a grant) is over, whoever was running to hear of it or not.
  std::int64_t epoch = 0;
};

class Users {
 public:
  explicit Users(Directory& directory) : directory_(directory) {}

  // invalid, exists.
  Result<void> add_domain(std::string_view domain);
  // not_found; conflict while users have addresses in it.
  Result<void> remove_domain(std::string_view domain);
  Result<std::vector<std::string>> domains();

  // not_found for an unknown user, an unknown domain and for what is no address.
  Result<User> by_address(std::string_view address);
  Result<User> by_id(UserId id);
  Result<User> by_mailbox(std::string_view mailbox_id);
  // The user whom mail to this address reaches: exact first, then without "+tag"; `tag` gets what stood
  // behind the '+'.
  Result<User> recipient(std::string_view address, std::string* tag = nullptr);
  Result<std::vector<User>> list();

  Result<void> set_disabled(UserId id, bool disabled);
  Result<void> set_admin(UserId id, bool admin);
  Result<void> set_quota(UserId id, std::int64_t bytes);
  Result<void> set_display_name(UserId id, std::string_view name);
  // The user and all that refers to it, in one transaction (not the mailbox file: mail/provision does).
  Result<void> remove(UserId id);

 private:
  Directory& directory_;
};

// "Local@Domain" -> its compared form; invalid when it is no address. Quoted local parts and address
// literals are none here.
Result<std::string> canonical_address(std::string_view address);
// The lower-case A-label form; invalid when it is no domain.
Result<std::string> canonical_domain(std::string_view domain);

struct AddressParts {
  std::string local;         // as given, in NFC
  std::string folded_local;  // the compared form
  std::string domain;        // the compared form
};
Result<AddressParts> split_address(std::string_view address);

}  // namespace muhur::accounts

#pragma once
// New users with their mailbox, and their removal: all or nothing, whatever crashes.

#include <string_view>

#include "accounts/first_sign_in.hpp"
#include "mail/mailbox_files.hpp"
#include "mail/spool.hpp"
#include "mailbox/open_mailboxes.hpp"

namespace muhur::mail {

class Provision {
 public:
  Provision(accounts::Users& users, accounts::Credentials& credentials, mailbox::OpenMailboxes& mailboxes,
            Spool& spool, MailboxFiles files)
      : users_(users),
        credentials_(credentials),
        mailboxes_(mailboxes),
        spool_(spool),
        files_(std::move(files)) {}

  struct Wanted {
    std::string_view address, display_name;
    bool admin = false;
    std::int64_t quota_bytes = 0;
  };
  Result<accounts::Created> add(const Wanted& wanted, const Secret& password);
  // A mailbox of its own for `give` to write to its user; without that it goes again (accounts/sign_in.hpp).
  Result<void> make_mailbox(const accounts::GiveMailbox& give);
  Result<void> remove(const accounts::User& user);
  // At the start, before anybody is served.
  Result<void> finish_interrupted();

 private:
  accounts::Users& users_;
  accounts::Credentials& credentials_;
  mailbox::OpenMailboxes& mailboxes_;
  Spool& spool_;
  MailboxFiles files_;
};

}  // namespace muhur::mail

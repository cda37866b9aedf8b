#pragma once
// Content, stored once however many folders show it. A small message is one row of `emails` (head and
// body in it) and one of `texts`; what is longer than a chunk goes to `email_chunks`.

#include "mailbox/pins.hpp"
#include "mailbox/prepared.hpp"
#include "mailbox/types.hpp"
#include "vault/connection.hpp"

namespace muhur::mailbox {

class Emails {
 public:
  explicit Emails(vault::Connection& connection) : connection_(connection) {}

  Result<EmailId> insert(const PreparedEmail& email);
  Result<void> share(EmailId id);  // one message more shows it
  // One less: with the last one all its bytes go, or become `leaving` (mailbox/pins.hpp).
  Result<void> release(EmailId id, std::uint64_t size, Pins::Removal& removal);
  // What is leaving and may go now goes: of ids above `behind`, which becomes the last that was looked at.
  Result<void> remove_leaving(Pins::Removal& removal, EmailId& behind);
  // The stored structure. not_found, corrupt.
  Result<mime::Structure> structure(EmailId id);

 private:
  Result<void> remove(EmailId id);
  vault::Connection& connection_;
};

}  // namespace muhur::mailbox

#pragma once
// Makes what goes into the spool of a message and its recipients: headers, seals, digests.

#include <functional>
#include <span>
#include <string_view>

#include "mail/recipient.hpp"
#include "mail/spool.hpp"

namespace muhur::mail {

struct Letter {
  std::string_view sender;  // envelope; empty for <>
  std::span<const Recipient> recipients;
  std::string_view message;  // any line ends: the mailbox stores CRLF
  std::string_view trace;    // whole header lines of our own (Received); no part of what identifies it
};

// Blocks for the ciphers' time. `used` says how much of a quota a mailbox uses; asked only where there is a
// quota. A recipient that cannot be sealed to has its error in its outcome.
Incoming seal_letter(const Letter& letter, const Secret& digest_key,
                     const std::function<Result<Usage>(const accounts::User&)>& used);

}  // namespace muhur::mail

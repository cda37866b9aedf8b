#pragma once
// What COPY and MOVE have in common.

#include "imap/commands.hpp"

namespace muhur::imap {

struct CopyOrder {
  mailbox::UidSet uids;  // may be empty: nothing of the set is there
  std::string path;
};

// "set mailbox". The reply, when it is wrong.
std::optional<Reply> parse_copy(Session& session, Call& call, CopyOrder& order);

// "COPYUID validity from to", empty when nothing was copied.
std::string copyuid(const mailbox::Copied& copied);

}  // namespace muhur::imap

#pragma once
// The commands: one file each (cmd_*.cpp). A handler reads its arguments, does its work, writes untagged
// responses into session.out(), and returns the tagged reply; the session adds what news there is of the
// selected folder, and the reply. An Error becomes a reply in reply_of().

#include "imap/session.hpp"

namespace muhur::imap {

using Outcome = net::Task<Result<Reply>>;
using Handler = Outcome (*)(Session&, Call&);

struct Command {
  std::string_view name;
  unsigned states;  // Session::State bits in which it is valid
  Handler run;
  bool has_uid_form = false;
  bool withholds_expunge = false;  // no EXPUNGE while it runs, in its form without UID
};

// Null: no such command.
const Command* find_command(std::string_view name);

// What CAPABILITY says in the session's present state.
std::string capabilities(const Session& session);

Outcome cmd_append(Session& session, Call& call);
Outcome cmd_authenticate(Session& session, Call& call);
Outcome cmd_capability(Session& session, Call& call);
Outcome cmd_check(Session& session, Call& call);
Outcome cmd_close(Session& session, Call& call);
Outcome cmd_copy(Session& session, Call& call);
Outcome cmd_create(Session& session, Call& call);
Outcome cmd_delete(Session& session, Call& call);
Outcome cmd_enable(Session& session, Call& call);
Outcome cmd_examine(Session& session, Call& call);
Outcome cmd_expunge(Session& session, Call& call);
Outcome cmd_fetch(Session& session, Call& call);
Outcome cmd_getquota(Session& session, Call& call);
Outcome cmd_getquotaroot(Session& session, Call& call);
Outcome cmd_id(Session& session, Call& call);
Outcome cmd_idle(Session& session, Call& call);
Outcome cmd_list(Session& session, Call& call);
Outcome cmd_login(Session& session, Call& call);
Outcome cmd_logout(Session& session, Call& call);
Outcome cmd_lsub(Session& session, Call& call);
Outcome cmd_move(Session& session, Call& call);
Outcome cmd_namespace(Session& session, Call& call);
Outcome cmd_noop(Session& session, Call& call);
Outcome cmd_rename(Session& session, Call& call);
Outcome cmd_search(Session& session, Call& call);
Outcome cmd_select(Session& session, Call& call);
Outcome cmd_setquota(Session& session, Call& call);
Outcome cmd_starttls(Session& session, Call& call);
Outcome cmd_status(Session& session, Call& call);
Outcome cmd_store(Session& session, Call& call);
Outcome cmd_subscribe(Session& session, Call& call);
Outcome cmd_unselect(Session& session, Call& call);
Outcome cmd_unsubscribe(Session& session, Call& call);
Outcome cmd_xlist(Session& session, Call& call);

}  // namespace muhur::imap

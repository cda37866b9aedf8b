// NOOP, CHECK, LOGOUT. The news of the selected folder is added by the session after every command.
#include "imap/commands.hpp"

namespace muhur::imap {

Outcome cmd_noop(Session&, Call& call) {
  if (!call.args.at_end()) co_return bad("NOOP takes no arguments.");
  co_return ok("NOOP completed.");
}

Outcome cmd_check(Session&, Call& call) {
  if (!call.args.at_end()) co_return bad("CHECK takes no arguments.");
  co_return ok("CHECK completed.");  // every change was durable before it was answered
}

Outcome cmd_logout(Session& session, Call& call) {
  if (!call.args.at_end()) co_return bad("LOGOUT takes no arguments.");
  session.bye("Goodbye.");
  co_return ok("Logout completed.");
}

}  // namespace muhur::imap

#include "base/log.hpp"
#include "imap/commands.hpp"

namespace muhur::imap {

// RFC 3501 §6.2.1. Nothing that was said in the clear counts afterwards.
Outcome cmd_starttls(Session& session, Call& call) {
  if (!call.args.at_end()) co_return bad("STARTTLS takes no arguments.");
  if (session.stream().secure()) co_return bad("TLS is active already.");
  if (!session.can_start_tls()) co_return bad("TLS is not set up here.");
  append_reply(session.out(), call.tag, ok("Begin TLS negotiation now."));
  const auto secured = co_await session.start_tls();
  if (!secured) {
    log::debug("imap", "STARTTLS failed", {{"error", secured.error().text()}});
    session.hang_up();
  }
  co_return Reply{.status = Reply::Status::answered, .code = {}, .text = {}};
}

}  // namespace muhur::imap

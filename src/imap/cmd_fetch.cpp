#include "base/log.hpp"
#include "imap/commands.hpp"
#include "imap/fetch_job.hpp"

namespace muhur::imap {

Outcome cmd_fetch(Session& session, Call& call) {
  const auto text = call.args.space() ? call.args.set_text() : std::nullopt;
  const auto set = text ? parse_sequence_set(*text) : std::nullopt;
  if (!set || !call.args.space()) co_return bad("FETCH takes a set of messages and items.");
  const auto request = parse_fetch(call.args);
  if (!request) co_return bad("FETCH has an item that is not known.");
  auto uids = session.view().resolve(*set, call.uid);
  if (!uids) co_return bad("There are no such message numbers.");
  if (request->changed_since || request->wants(FetchItem::Kind::modseq)) session.enable_condstore();
  if (uids->empty()) co_return ok("Fetch completed.");

  std::string& out = session.out();
  out.reserve(kEnough + 4096);
  FetchJob job(session.mailbox(), session.view(), *request, std::move(*uids),
               {.uid = call.uid,
                .modseq = session.condstore(),
                .mark_seen = request->sees() && !session.view().read_only()});
  bool more = true;
  while (more) {
    const auto filled = co_await net::on(session.storage(), [&] { return job.fill(out); });
    if (!filled) {
      if (!job.cut()) co_return std::unexpected(filled.error());
      // Octets were promised that cannot be had: only the end of the connection is honest.
      log::error("imap", "FETCH broken off", {{"error", filled.error().text()}});
      session.hang_up();
      co_return std::unexpected(filled.error());
    }
    more = *filled;
    if (out.size() >= kEnough && !co_await session.flush())
      co_return fail(Code::closed, "the client is gone");
    // To the end of the message under way, no further.
    if (more && session.stopping() && !job.cut()) co_return no("The session ends.", "UNAVAILABLE");
  }
  if (job.damage()) {
    log::error("imap", "a message could not be read", {{"error", job.damage()->text()}});
    co_return reply_of(*job.damage());
  }
  co_return ok("Fetch completed.");
}

}  // namespace muhur::imap

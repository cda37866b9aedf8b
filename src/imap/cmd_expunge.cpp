// EXPUNGE, and UID EXPUNGE (RFC 4315). The EXPUNGE responses are the session's news.
#include "imap/commands.hpp"

namespace muhur::imap {

Outcome cmd_expunge(Session& session, Call& call) {
  std::optional<mailbox::UidSet> within;
  if (call.uid) {
    const auto text = call.args.space() ? call.args.set_text() : std::nullopt;
    const auto set = text ? parse_sequence_set(*text) : std::nullopt;
    if (!set) co_return bad("UID EXPUNGE takes a set of UIDs.");
    within = session.view().ranges(*session.view().resolve(*set, true));
  }
  if (!call.args.at_end()) co_return bad("EXPUNGE takes no more.");
  if (session.view().read_only()) co_return no("The mailbox is open for reading only.", "READ-ONLY");
  if (within && within->empty()) co_return ok("Expunge completed.");
  auto& box = session.mailbox();
  const auto folder = session.view().folder();
  MUHUR_CO_TRY(const auto removed,
               co_await net::on(session.storage(), [&] { return box.expunge(folder, within); }));
  co_return ok(removed.empty() ? "Nothing to expunge." : "Expunge completed.");
}

}  // namespace muhur::imap

#include "imap/commands.hpp"
#include "imap/mutf7.hpp"
#include "imap/status_items.hpp"

namespace muhur::imap {

Outcome cmd_status(Session& session, Call& call) {
  const auto name = call.args.space() ? call.args.astring() : std::nullopt;
  if (!name || !call.args.space()) co_return bad("STATUS takes a mailbox and items.");
  const auto items = parse_status_items(call.args);
  if (!items || !call.args.at_end()) co_return bad("STATUS has an item that is not known.");
  const auto path = path_of(*name);
  if (!path) co_return no("There is no such mailbox.", "NONEXISTENT");
  if (wants(*items, StatusItem::highest_modseq)) session.enable_condstore();
  auto& box = session.mailbox();
  MUHUR_CO_TRY(const auto folder, co_await net::on(session.storage(), [&] { return box.folder(*path); }));
  if (!folder.selectable) co_return no("That mailbox holds no messages.", "NONEXISTENT");
  append_status(session.out(), session, folder, *items);
  co_return ok("Status completed.");
}

}  // namespace muhur::imap

// SELECT, EXAMINE, CLOSE, UNSELECT.
#include "imap/commands.hpp"
#include "imap/mutf7.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

void number_line(std::string& out, std::string_view before, std::uint64_t number, std::string_view after) {
  out.append(before);
  append_number(out, number);
  out.append(after).append("\r\n");
}

// "(CONDSTORE)" behind the name (RFC 7162 §3.1.8).
bool take_parameters(Session& session, Parser& args) {
  if (args.at_end()) return true;
  if (!args.take('(') || !args.word("CONDSTORE") || !args.take(')')) return false;
  session.enable_condstore();
  return args.at_end();
}

Outcome select(Session& session, Call& call, bool read_only) {
  const auto name = call.args.space() ? call.args.astring() : std::nullopt;
  if (!name || !take_parameters(session, call.args)) co_return bad("SELECT takes a mailbox.");
  if (session.selected()) {
    session.unselect();  // also when what follows fails (RFC 3501 §6.3.1)
    session.out().append("* OK [CLOSED] Previous mailbox closed.\r\n");
  }
  const auto path = path_of(*name);
  if (!path) co_return no("There is no such mailbox.", "NONEXISTENT");
  std::uint32_t first_unseen = 0;
  const auto selected = co_await session.select(*path, read_only, first_unseen);
  if (!selected) co_return std::unexpected(selected.error());

  const View& view = session.view();
  std::string& out = session.out();
  out.append("* FLAGS ");
  append_known_flags(out, view.keywords(), false);
  out.append("\r\n* OK [PERMANENTFLAGS ");
  if (read_only)
    out.append("()");
  else
    append_known_flags(out, view.keywords(), true);
  out.append("] Flags kept.\r\n");
  number_line(out, "* ", view.size(), " EXISTS");
  number_line(out, "* ", view.recent(), " RECENT");
  if (first_unseen > 0) number_line(out, "* OK [UNSEEN ", first_unseen, "] First unseen.");
  number_line(out, "* OK [UIDVALIDITY ", selected->uid_validity, "] UIDs valid.");
  number_line(out, "* OK [UIDNEXT ", selected->uid_next, "] Next UID.");
  number_line(out, "* OK [HIGHESTMODSEQ ", selected->highest_modseq, "] Highest modseq.");
  co_return ok(read_only ? "Examine completed." : "Select completed.",
               read_only ? "READ-ONLY" : "READ-WRITE");
}

}  // namespace

Outcome cmd_select(Session& session, Call& call) { return select(session, call, false); }
Outcome cmd_examine(Session& session, Call& call) { return select(session, call, true); }

Outcome cmd_close(Session& session, Call& call) {
  if (!call.args.at_end()) co_return bad("CLOSE takes no arguments.");
  if (!session.view().read_only()) {
    auto& box = session.mailbox();
    const auto folder = session.view().folder();
    const auto removed = co_await net::on(session.storage(), [&] { return box.expunge(folder); });
    if (!removed && removed.error().code != Code::not_found) co_return std::unexpected(removed.error());
  }
  session.unselect();
  co_return ok("Close completed.");
}

Outcome cmd_unselect(Session& session, Call& call) {
  if (!call.args.at_end()) co_return bad("UNSELECT takes no arguments.");
  session.unselect();
  co_return ok("Unselect completed.");
}

}  // namespace muhur::imap

// STORE (RFC 3501 §6.4.6) with UNCHANGEDSINCE (RFC 7162 §3.1.3).
#include <algorithm>
#include <span>

#include "base/unicode.hpp"
#include "imap/commands.hpp"
#include "imap/flag_list.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

struct StoreOrder {
  std::vector<mailbox::Uid> uids;
  std::optional<mailbox::ModSeq> unchanged_since;
  mailbox::FlagChange change = mailbox::FlagChange::replace;
  bool silent = false;
  mailbox::Flags flags;
};

bool take_modifiers(Parser& args, StoreOrder& order) {
  if (!args.take('(')) return true;
  if (!args.word("UNCHANGEDSINCE") || !args.space()) return false;
  order.unchanged_since = args.number64();
  return order.unchanged_since && args.take(')') && args.space();
}

bool take_item(Parser& args, StoreOrder& order) {
  auto name = args.item_name();
  if (!name) return false;
  if (name->starts_with('+')) order.change = mailbox::FlagChange::add;
  if (name->starts_with('-')) order.change = mailbox::FlagChange::remove;
  if (order.change != mailbox::FlagChange::replace) name->remove_prefix(1);
  order.silent = equals_ignoring_case(*name, "FLAGS.SILENT");
  return (order.silent || equals_ignoring_case(*name, "FLAGS")) && args.space();
}

std::optional<Reply> parse_store(Session& session, Call& call, StoreOrder& order) {
  Parser& args = call.args;
  const auto text = args.space() ? args.set_text() : std::nullopt;
  const auto set = text ? parse_sequence_set(*text) : std::nullopt;
  if (!set || !args.space()) return bad("STORE takes a set of messages and flags.");
  if (!take_modifiers(args, order) || !take_item(args, order))
    return bad("STORE takes FLAGS, +FLAGS or -FLAGS.");
  auto given = parse_flags(args);
  if (!given.problem.empty()) return bad(given.problem);
  if (!args.at_end()) return bad("There is something behind the flags.");
  order.flags = std::move(given.flags);
  auto uids = session.view().resolve(*set, call.uid);
  if (!uids) return bad("There are no such message numbers.");
  order.uids = std::move(*uids);
  return std::nullopt;
}

void report(Session& session, const Call& call, const StoreOrder& order, const mailbox::Stored& stored) {
  std::string& out = session.out();
  View& view = session.view();
  for (const auto& row : stored.changed) {
    view.note_own(row.uid, row.modseq);
    const auto number = view.number_of(row.uid);
    if (!number || (order.silent && !session.condstore())) continue;
    out.append("* ");
    append_number(out, *number);
    out.append(" FETCH (");
    if (call.uid) {
      out.append("UID ");
      append_number(out, row.uid);
      out.push_back(' ');
    }
    if (!order.silent) {
      out.append("FLAGS ");
      append_flags(out, row.flags, view.is_recent(row.uid));
      if (session.condstore()) out.push_back(' ');
    }
    if (session.condstore()) {
      out.append("MODSEQ (");
      append_number(out, row.modseq);
      out.push_back(')');
    }
    out.append(")\r\n");
  }
}

std::string modified_code(Session& session, const Call& call, const std::vector<mailbox::Uid>& modified) {
  std::vector<std::uint32_t> named;
  for (const mailbox::Uid uid : modified) {
    const auto number = session.view().number_of(uid);
    if (number) named.push_back(call.uid ? uid : *number);
  }
  if (named.empty()) return {};
  std::string code = "MODIFIED ";
  append_set(code, named);
  return code;
}

}  // namespace

Outcome cmd_store(Session& session, Call& call) {
  StoreOrder order;
  if (auto problem = parse_store(session, call, order)) co_return *problem;
  if (session.view().read_only()) co_return no("The mailbox is open for reading only.", "READ-ONLY");
  if (order.unchanged_since) session.enable_condstore();
  if (order.uids.empty()) co_return ok("Store completed.");
  auto& box = session.mailbox();
  const auto folder = session.view().folder();
  std::vector<mailbox::Uid> modified;
  // In parts, each a transaction and its answers: rows of a whole folder are not held in memory, and others
  // can write in between.
  for (std::span<const mailbox::Uid> left = order.uids; !left.empty();) {
    const auto part = left.first(std::min(left.size(), kStoredAtOnce));
    left = left.subspan(part.size());
    const auto uids = session.view().ranges(part);
    MUHUR_CO_TRY(const auto stored, co_await net::on(session.storage(), [&] {
                   return box.store(folder, uids, order.change, order.flags, order.unchanged_since);
                 }));
    session.view().learn(stored.changed, session.out());
    report(session, call, order, stored);
    modified.insert(modified.end(), stored.modified.begin(), stored.modified.end());
    if (!left.empty() && !co_await session.breathe()) co_return fail(Code::closed, "the client is gone");
  }
  co_return ok(modified.empty() ? "Store completed." : "Some messages had changed meanwhile.",
               modified_code(session, call, modified));
}

}  // namespace muhur::imap

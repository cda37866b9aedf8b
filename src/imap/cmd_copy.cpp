// COPY and MOVE (RFC 6851). UIDs that are gone are passed over, and that is a success.
#include "imap/copying.hpp"
#include "imap/mutf7.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {

std::optional<Reply> parse_copy(Session& session, Call& call, CopyOrder& order) {
  Parser& args = call.args;
  const auto text = args.space() ? args.set_text() : std::nullopt;
  const auto set = text ? parse_sequence_set(*text) : std::nullopt;
  const auto name = set && args.space() ? args.astring() : std::nullopt;
  if (!name || !args.at_end()) return bad("A set of messages and a mailbox are wanted.");
  const auto uids = session.view().resolve(*set, call.uid);
  if (!uids) return bad("There are no such message numbers.");
  auto path = path_of(*name);
  if (!path) return no("There is no such mailbox.", "NONEXISTENT");
  order.uids = session.view().ranges(*uids);
  order.path = std::move(*path);
  return std::nullopt;
}

std::string copyuid(const mailbox::Copied& copied) {
  if (copied.uids.empty()) return {};
  std::vector<mailbox::Uid> from, to;
  for (const auto& [source, target] : copied.uids) {
    from.push_back(source);
    to.push_back(target);
  }
  std::string out = "COPYUID ";
  append_number(out, copied.uid_validity);
  out.push_back(' ');
  append_set(out, from);
  out.push_back(' ');
  append_set(out, to);
  return out;
}

namespace {

// The work of both, on the storage pool. `try_create`: the target is not there.
Result<mailbox::Copied> copy_or_move(Session& session, const CopyOrder& order, bool moving,
                                     bool& try_create) {
  auto& box = session.mailbox();
  const auto from = session.view().folder();
  const auto target = box.folder(order.path);
  try_create = !target && target.error().code == Code::not_found;
  if (!target) return std::unexpected(target.error());
  if (!target->selectable) return fail(Code::invalid, "the folder holds no messages");
  if (order.uids.empty()) return mailbox::Copied{};
  if (moving) return box.move(from, order.uids, target->id);
  if (session.user().quota_bytes > 0) {
    MUHUR_TRY(const auto rows, box.rows(from, order.uids));
    std::uint64_t more = 0;
    for (const auto& row : rows) more += row.size;
    MUHUR_CHECK(session.check_quota(more));
  }
  return box.copy(from, order.uids, target->id);
}

}  // namespace

Outcome cmd_copy(Session& session, Call& call) {
  CopyOrder order;
  if (auto problem = parse_copy(session, call, order)) co_return *problem;
  bool try_create = false;
  const auto copied =
      co_await net::on(session.storage(), [&] { return copy_or_move(session, order, false, try_create); });
  if (try_create) co_return no("There is no such mailbox: create it first.", "TRYCREATE");
  if (!copied) co_return std::unexpected(copied.error());
  co_return ok(copied->uids.empty() ? "No messages copied." : "Copy completed.", copyuid(*copied));
}

Outcome cmd_move(Session& session, Call& call) {
  CopyOrder order;
  if (auto problem = parse_copy(session, call, order)) co_return *problem;
  if (session.view().read_only()) co_return no("The mailbox is open for reading only.", "READ-ONLY");
  bool try_create = false;
  const auto moved =
      co_await net::on(session.storage(), [&] { return copy_or_move(session, order, true, try_create); });
  if (try_create) co_return no("There is no such mailbox: create it first.", "TRYCREATE");
  if (!moved) co_return std::unexpected(moved.error());
  // Before the EXPUNGEs that follow (RFC 6851 §4.3).
  if (!moved->uids.empty()) append_reply(session.out(), "*", ok("Moved.", copyuid(*moved)));
  co_return ok(moved->uids.empty() ? "No messages moved." : "Move completed.");
}

}  // namespace muhur::imap

// CREATE (with RFC 6154's USE), DELETE, RENAME, SUBSCRIBE, UNSUBSCRIBE.
#include <array>

#include "base/unicode.hpp"
#include "imap/commands.hpp"
#include "imap/mutf7.hpp"

namespace muhur::imap {
namespace {

constexpr std::array<std::string_view, 5> kUses = {"\\Drafts", "\\Sent", "\\Trash", "\\Junk", "\\Archive"};

Reply no_such_name() { return no("That is no valid mailbox name.", "CANNOT"); }

// " (USE (\Trash))". The use in the spelling of the standard; false: syntax.
bool take_use(Parser& args, std::string& use, bool& unknown) {
  if (args.at_end()) return true;
  if (!args.take('(') || !args.word("USE") || !args.space() || !args.take('(')) return false;
  for (std::size_t count = 0; !args.take(')'); ++count) {
    const auto flag = args.flag();
    if (!flag) return false;
    unknown = true;
    for (const auto known : kUses) {
      if (!equals_ignoring_case(known, *flag)) continue;
      unknown = count > 0;  // one use a folder
      use = known;
    }
    args.space();
  }
  return args.take(')') && args.at_end();
}

// One name, alone: what most commands of this file take.
std::optional<std::string> only_name(Parser& args) {
  auto name = args.space() ? args.astring() : std::nullopt;
  if (!name || !args.at_end()) return std::nullopt;
  return name;
}

Outcome set_subscribed(Session& session, Call& call, bool subscribed) {
  const auto name = only_name(call.args);
  if (!name) co_return bad("One mailbox name is wanted.");
  const auto path = path_of(*name);
  if (!path) co_return no_such_name();
  auto& box = session.mailbox();
  MUHUR_CO_CHECK(co_await net::on(session.storage(), [&] { return box.set_subscribed(*path, subscribed); }));
  co_return ok(subscribed ? "Subscribe completed." : "Unsubscribe completed.");
}

}  // namespace

Outcome cmd_create(Session& session, Call& call) {
  const auto name = call.args.space() ? call.args.astring() : std::nullopt;
  std::string use;
  bool unknown_use = false;
  if (!name || !take_use(call.args, use, unknown_use)) co_return bad("CREATE takes a mailbox name.");
  if (unknown_use) co_return no("That use is not known here.", "USEATTR");
  const auto path = path_of(*name);
  if (!path) co_return no_such_name();
  auto& box = session.mailbox();
  MUHUR_CO_TRY(const auto folder,
               co_await net::on(session.storage(), [&] { return box.create_folder(*path, use); }));
  co_return ok(folder.path.empty() ? "" : "Create completed.");
}

Outcome cmd_delete(Session& session, Call& call) {
  const auto name = only_name(call.args);
  if (!name) co_return bad("DELETE takes a mailbox name.");
  const auto path = path_of(*name);
  if (!path) co_return no_such_name();
  auto& box = session.mailbox();
  MUHUR_CO_TRY(const auto folder, co_await net::on(session.storage(), [&] { return box.folder(*path); }));
  MUHUR_CO_CHECK(co_await net::on(session.storage(), [&] { return box.delete_folder(*path); }));
  // Whoever deletes the folder it has open knows: no BYE, it has just none open now.
  if (session.selected() && session.view().folder() == folder.id) session.unselect();
  co_return ok("Delete completed.");
}

Outcome cmd_rename(Session& session, Call& call) {
  const auto from_name = call.args.space() ? call.args.astring() : std::nullopt;
  const auto to_name = from_name && call.args.space() ? call.args.astring() : std::nullopt;
  if (!to_name || !call.args.at_end()) co_return bad("RENAME takes two mailbox names.");
  const auto from = path_of(*from_name);
  const auto to = path_of(*to_name);
  if (!from || !to) co_return no_such_name();
  auto& box = session.mailbox();
  MUHUR_CO_CHECK(co_await net::on(session.storage(), [&] { return box.rename_folder(*from, *to); }));
  co_return ok("Rename completed.");
}

Outcome cmd_subscribe(Session& session, Call& call) { return set_subscribed(session, call, true); }
Outcome cmd_unsubscribe(Session& session, Call& call) { return set_subscribed(session, call, false); }

}  // namespace muhur::imap

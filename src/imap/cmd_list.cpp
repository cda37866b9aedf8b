// LIST, XLIST, LSUB. Attributes of special use and of children are in every answer: iOS, Thunderbird and
// K-9 look for them in the plain form.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "imap/commands.hpp"
#include "imap/list_options.hpp"
#include "imap/list_pattern.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

struct Names {
  std::vector<mailbox::Folder> folders;
  std::vector<std::string> subscriptions;
  std::unordered_map<std::string_view, const mailbox::Folder*> by_path;

  const mailbox::Folder* find(std::string_view path) const {
    const auto at = by_path.find(path);
    return at == by_path.end() ? nullptr : at->second;
  }
};

net::Task<Result<Names>> read_names(Session& session) {
  auto& box = session.mailbox();
  co_return co_await net::on(session.storage(), [&]() -> Result<Names> {
    Names names;
    MUHUR_TRY(names.folders, box.folders());
    MUHUR_TRY(names.subscriptions, box.subscriptions());
    for (const auto& folder : names.folders) names.by_path.emplace(folder.path, &folder);
    return names;
  });
}

// Views of Names: folders and subscriptions of one user may be thousands, and 50 levels deep.
using Paths = std::set<std::string_view>;

bool matches_any(const std::vector<ListPattern>& patterns, std::string_view path) {
  return std::ranges::any_of(patterns, [&](const ListPattern& pattern) { return pattern.matches(path); });
}

// "a" and "a/b" of "a/b/c".
void add_ancestors(std::string_view path, Paths& into) {
  for (std::size_t at = path.find(kSeparator); at != std::string_view::npos;
       at = path.find(kSeparator, at + 1))
    into.emplace(path.substr(0, at));
}

class Line {
 public:
  Line(std::string& out, std::string_view response) : out_(out) {
    out_.append("* ").append(response).append(" (");
  }
  void attribute(std::string_view name) {
    if (out_.back() != '(') out_.push_back(' ');
    out_.append(name);
  }
  void end(std::string_view path, bool child_info = false) {
    out_.append(") \"").append(1, kSeparator).append("\" ");
    append_mailbox(out_, path);
    if (child_info) out_.append(" (\"CHILDINFO\" (\"SUBSCRIBED\"))");
    out_.append("\r\n");
  }

 private:
  std::string& out_;
};

void add_attributes(Line& line, const mailbox::Folder& folder) {
  if (!folder.selectable) line.attribute("\\Noselect");
  line.attribute(folder.has_children ? "\\HasChildren" : "\\HasNoChildren");
  if (!folder.special_use.empty()) line.attribute(folder.special_use);
}

void list_root(std::string& out, std::string_view response) {
  Line line(out, response);
  line.attribute("\\Noselect");
  line.end("");
}

void list_folder(Session& session, const ListRequest& request, const Names& names, std::string_view path,
                 bool subscribed, bool child_info) {
  if (!matches_any(request.patterns, path)) return;
  const mailbox::Folder* const folder = names.find(path);
  if (request.only_special_use && (!folder || folder->special_use.empty())) return;
  Line line(session.out(), "LIST");
  if (folder)
    add_attributes(line, *folder);
  else
    line.attribute("\\NonExistent");
  if (subscribed && request.return_subscribed) line.attribute("\\Subscribed");
  line.end(path, child_info);
  if (folder && folder->selectable && !request.status.empty())
    append_status(session.out(), session, *folder, request.status);
}

void xlist_folder(std::string& out, const ListRequest& request, const mailbox::Folder& folder) {
  if (!matches_any(request.patterns, folder.path)) return;
  Line line(out, "XLIST");
  add_attributes(line, folder);
  if (folder.path == "INBOX") line.attribute("\\Inbox");
  if (folder.special_use == "\\Junk") line.attribute("\\Spam");
  line.end(folder.path);
}

void lsub_folder(std::string& out, const ListRequest& request, const Names& names, std::string_view path,
                 bool subscribed) {
  if (!matches_any(request.patterns, path)) return;
  Line line(out, "LSUB");
  const mailbox::Folder* const folder = names.find(path);
  if (!subscribed)
    line.attribute("\\Noselect");
  else if (folder)
    add_attributes(line, *folder);
  line.end(path);
}

// Calls `list` for each, with a pause for others every few names.
template <class All, class List>
net::Task<Result<void>> list_each(Session& session, const All& all, List list) {
  std::size_t count = 0;
  for (const auto& one : all) {
    list(one);
    if (++count % kNamesAtOnce == 0 && !co_await session.breathe())
      co_return fail(Code::closed, "the client is gone");
  }
  co_return Result<void>();
}

}  // namespace

Outcome cmd_list(Session& session, Call& call) {
  const auto request = parse_list(call.args, true);
  if (!request) co_return bad("LIST takes a reference and a pattern.");
  if (request->asks_for_root) list_root(session.out(), "LIST");
  if (wants(request->status, StatusItem::highest_modseq)) session.enable_condstore();
  MUHUR_CO_TRY(const Names names, co_await read_names(session));
  const Paths subscribed(names.subscriptions.begin(), names.subscriptions.end());

  if (!request->only_subscribed) {
    MUHUR_CO_CHECK(co_await list_each(session, names.folders, [&](const mailbox::Folder& folder) {
      list_folder(session, *request, names, folder.path, subscribed.contains(folder.path), false);
    }));
    co_return ok("List completed.");
  }
  Paths ancestors;
  if (request->recursive_match)
    for (const auto path : subscribed) add_ancestors(path, ancestors);
  Paths candidates = ancestors;
  candidates.insert(subscribed.begin(), subscribed.end());
  MUHUR_CO_CHECK(co_await list_each(session, candidates, [&](std::string_view path) {
    list_folder(session, *request, names, path, subscribed.contains(path), ancestors.contains(path));
  }));
  co_return ok("List completed.");
}

// Gmail's forerunner of SPECIAL-USE: the only form that Outlook 2013 and 2016 know.
Outcome cmd_xlist(Session& session, Call& call) {
  const auto request = parse_list(call.args, false);
  if (!request) co_return bad("XLIST takes a reference and a pattern.");
  MUHUR_CO_TRY(const Names names, co_await read_names(session));
  MUHUR_CO_CHECK(co_await list_each(session, names.folders, [&](const mailbox::Folder& folder) {
    xlist_folder(session.out(), *request, folder);
  }));
  co_return ok("Xlist completed.");
}

Outcome cmd_lsub(Session& session, Call& call) {
  const auto request = parse_list(call.args, false);
  if (!request) co_return bad("LSUB takes a reference and a pattern.");
  if (request->asks_for_root) list_root(session.out(), "LSUB");
  MUHUR_CO_TRY(const Names names, co_await read_names(session));
  const Paths subscribed(names.subscriptions.begin(), names.subscriptions.end());
  // With '%', a level that is not subscribed itself stands for what is below it (RFC 3501 §6.3.9).
  Paths candidates = subscribed;
  if (request->has_percent)
    for (const auto path : subscribed) add_ancestors(path, candidates);
  MUHUR_CO_CHECK(co_await list_each(session, candidates, [&](std::string_view path) {
    lsub_folder(session.out(), *request, names, path, subscribed.contains(path));
  }));
  co_return ok("Lsub completed.");
}

}  // namespace muhur::imap

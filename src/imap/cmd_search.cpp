// SEARCH, and its answer as SEARCH or ESEARCH (RFC 4731).
#include <algorithm>

#include "imap/commands.hpp"
#include "imap/respond.hpp"
#include "imap/search_keys.hpp"

namespace muhur::imap {
namespace {

struct Found {
  std::vector<mailbox::Uid> uids;
  mailbox::ModSeq modseq = 0;  // the highest among them
};

// A step at a time, so that a long search keeps no thread from other users.
net::Task<Result<Found>> run(Session& session, const SearchRequest& request) {
  auto& box = session.mailbox();
  const View& view = session.view();
  MUHUR_CO_TRY(auto search, co_await net::on(session.storage(), [&] {
                 return box.begin_search(view.folder(), request.criterion);
               }));
  while (true) {
    MUHUR_CO_TRY(const bool more,
                 co_await net::on(session.storage(), [&] { return search.step(kStorageVisit); }));
    if (!more) break;
    if (session.stopping()) co_return fail(Code::busy, "the session ends");
  }
  Found found{.uids = search.take()};
  // What the client was not told of does not exist yet.
  std::erase_if(found.uids, [&](mailbox::Uid uid) { return !view.number_of(uid); });
  if (!request.modseq || found.uids.empty()) co_return found;
  MUHUR_CO_TRY(const auto rows, co_await net::on(session.storage(), [&] {
                 return box.rows(view.folder(), view.ranges(found.uids));
               }));
  for (const auto& row : rows)
    if (std::ranges::binary_search(found.uids, row.uid)) found.modseq = std::max(found.modseq, row.modseq);
  co_return found;
}

void answer_search(std::string& out, const std::vector<std::uint32_t>& numbers, const Found& found) {
  out.append("* SEARCH");
  for (const auto number : numbers) {
    out.push_back(' ');
    append_number(out, number);
  }
  if (found.modseq > 0) {
    out.append(" (MODSEQ ");
    append_number(out, found.modseq);
    out.push_back(')');
  }
  out.append("\r\n");
}

void answer_esearch(std::string& out, const Call& call, const SearchRequest& request,
                    const std::vector<std::uint32_t>& numbers, const Found& found) {
  const auto item = [&](std::string_view name, std::uint64_t number) {
    out.append(name);
    append_number(out, number);
  };
  out.append("* ESEARCH (TAG ");
  append_string(out, call.tag);
  out.append(call.uid ? ") UID" : ")");
  if (request.min && !numbers.empty()) item(" MIN ", numbers.front());
  if (request.max && !numbers.empty()) item(" MAX ", numbers.back());
  if (request.count) item(" COUNT ", numbers.size());
  if (request.all && !numbers.empty()) {
    out.append(" ALL ");
    append_set(out, numbers);
  }
  if (found.modseq > 0) item(" MODSEQ ", found.modseq);
  out.append("\r\n");
}

}  // namespace

Outcome cmd_search(Session& session, Call& call) {
  if (!call.args.space()) co_return bad("SEARCH takes keys.");
  SearchRequest request;
  const auto problem = parse_search(call.args, session.view(), request);
  if (problem.kind == SearchProblem::Kind::charset)
    co_return no("That charset is not known here.", "BADCHARSET (US-ASCII UTF-8)");
  if (problem.kind == SearchProblem::Kind::syntax) co_return bad("SEARCH: " + problem.text + ".");
  if (request.modseq) session.enable_condstore();

  MUHUR_CO_TRY(const Found found, co_await run(session, request));
  std::vector<std::uint32_t> numbers = found.uids;
  if (!call.uid)
    for (auto& number : numbers) number = *session.view().number_of(number);
  // An answer without hits is an answer too.
  if (request.extended)
    answer_esearch(session.out(), call, request, numbers, found);
  else
    answer_search(session.out(), numbers, found);
  co_return ok("Search completed.");
}

}  // namespace muhur::imap

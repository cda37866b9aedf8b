// APPEND (RFC 3501 §6.3.11) with APPENDUID (RFC 4315) and APPENDLIMIT (RFC 7889).
#include "imap/commands.hpp"
#include "imap/dates.hpp"
#include "imap/flag_list.hpp"
#include "imap/mutf7.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

// The arguments behind the mailbox. Empty: all well; else what is wrong.
std::string_view parse_message(Parser& args, mailbox::AppendRequest& request) {
  if (!args.space()) return "APPEND takes a mailbox and a message.";
  if (args.peek('(')) {
    auto given = parse_flags(args);
    if (!given.problem.empty()) return given.problem;
    request.flags = std::move(given.flags);
    if (!args.space()) return "APPEND takes a message.";
  }
  if (args.peek('"')) {
    const auto text = args.string();
    const auto date = text ? parse_date_time(*text) : std::nullopt;
    if (!date) return "That is no date and time.";
    request.date_s = date->seconds;
    request.zone_minutes = date->zone_minutes;
    if (!args.space()) return "APPEND takes a message.";
  }
  const auto message = args.literal();
  if (!message || !args.at_end()) return "APPEND takes one message, as a literal.";
  request.message = *message;
  return {};
}

}  // namespace

Outcome cmd_append(Session& session, Call& call) {
  const auto name = call.args.space() ? call.args.astring() : std::nullopt;
  if (!name) co_return bad("APPEND takes a mailbox and a message.");
  mailbox::AppendRequest request;
  if (const auto problem = parse_message(call.args, request); !problem.empty()) co_return bad(problem);
  if (request.message.empty()) co_return no("A message has to have some octets.", "CANNOT");
  const auto path = path_of(*name);
  if (!path) co_return no("There is no such mailbox.", "NONEXISTENT");

  auto& box = session.mailbox();
  bool try_create = false;
  const auto appended = co_await net::on(session.storage(), [&]() -> Result<mailbox::Appended> {
    const auto folder = box.folder(*path);
    try_create = !folder && folder.error().code == Code::not_found;
    if (!folder) return std::unexpected(folder.error());
    if (!folder->selectable) return fail(Code::invalid, "the folder holds no messages");
    MUHUR_CHECK(session.check_quota(request.message.size()));
    request.folder = folder->id;
    return box.append(request);
  });
  if (try_create) co_return no("There is no such mailbox: create it first.", "TRYCREATE");
  if (!appended) co_return std::unexpected(appended.error());
  std::string code = "APPENDUID ";
  append_number(code, appended->uid_validity);
  code.push_back(' ');
  append_number(code, appended->uid);
  co_return ok("Append completed.", std::move(code));
}

}  // namespace muhur::imap

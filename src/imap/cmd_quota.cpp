// GETQUOTA, GETQUOTAROOT, SETQUOTA (RFC 9208): one root, "", with STORAGE in units of 1,024 octets.
#include "imap/commands.hpp"
#include "imap/mutf7.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

net::Task<Result<void>> report_quota(Session& session) {
  std::string& out = session.out();
  if (session.user().quota_bytes <= 0) {
    out.append("* QUOTA \"\" ()\r\n");
    co_return Result<void>();
  }
  auto& box = session.mailbox();
  MUHUR_CO_TRY(const std::uint64_t used,
               co_await net::on(session.storage(), [&] { return box.bytes_used(); }));
  out.append("* QUOTA \"\" (STORAGE ");
  append_number(out, (used + 1023) / 1024);
  out.push_back(' ');
  append_number(out, static_cast<std::uint64_t>(session.user().quota_bytes) / 1024);
  out.append(")\r\n");
  co_return Result<void>();
}

}  // namespace

Outcome cmd_getquota(Session& session, Call& call) {
  const auto root = call.args.space() ? call.args.astring() : std::nullopt;
  if (!root || !call.args.at_end()) co_return bad("GETQUOTA takes a quota root.");
  if (!root->empty()) co_return no("There is no such quota root.", "NONEXISTENT");
  MUHUR_CO_CHECK(co_await report_quota(session));
  co_return ok("Quota completed.");
}

Outcome cmd_getquotaroot(Session& session, Call& call) {
  const auto name = call.args.space() ? call.args.astring() : std::nullopt;
  if (!name || !call.args.at_end()) co_return bad("GETQUOTAROOT takes a mailbox.");
  const auto path = path_of(*name);
  if (!path) co_return no("There is no such mailbox.", "NONEXISTENT");
  session.out().append("* QUOTAROOT ");
  append_mailbox(session.out(), *path);
  session.out().append(" \"\"\r\n");
  MUHUR_CO_CHECK(co_await report_quota(session));
  co_return ok("Quota completed.");
}

Outcome cmd_setquota(Session&, Call&) { co_return no("Quotas are the administrator's.", "NOPERM"); }

}  // namespace muhur::imap

// CAPABILITY, ENABLE, ID, NAMESPACE: what this server is.
#include "base/unicode.hpp"
#include "imap/commands.hpp"
#include "imap/list_pattern.hpp"
#include "imap/respond.hpp"

namespace muhur::imap {

std::string capabilities(const Session& session) {
  std::string out =
      "IMAP4rev1 LITERAL+ SASL-IR ID ENABLE IDLE NAMESPACE CHILDREN UNSELECT UIDPLUS MOVE"
      " SPECIAL-USE CREATE-SPECIAL-USE LIST-EXTENDED LIST-STATUS CONDSTORE ESEARCH"
      " QUOTA QUOTA=RES-STORAGE STATUS=SIZE XLIST APPENDLIMIT=";
  append_number(out, session.max_append());
  if (session.state() != Session::kNotAuthenticated) return out;
  if (session.can_start_tls()) out.append(" STARTTLS");
  out.append(session.login_allowed() ? " AUTH=PLAIN" : " LOGINDISABLED");
  if (session.login_allowed() && session.options().token_sign_in)
    out.append(" AUTH=OAUTHBEARER AUTH=XOAUTH2");
  return out;
}

Outcome cmd_capability(Session& session, Call& call) {
  if (!call.args.at_end()) co_return bad("CAPABILITY takes no arguments.");
  session.out().append("* CAPABILITY ").append(capabilities(session)).append("\r\n");
  co_return ok("Capability completed.");
}

Outcome cmd_enable(Session& session, Call& call) {
  std::string enabled;
  do {
    const auto name = call.args.space() ? call.args.atom() : std::nullopt;
    if (!name) co_return bad("ENABLE takes names of capabilities.");
    if (equals_ignoring_case(*name, "CONDSTORE")) {
      session.enable_condstore();
      enabled = " CONDSTORE";
    }
  } while (!call.args.finished());
  session.out().append("* ENABLED").append(enabled).append("\r\n");
  co_return ok("Enabled.");
}

// RFC 2971. What a client says of itself is checked for form and forgotten: behaviour never depends on it.
Outcome cmd_id(Session& session, Call& call) {
  if (!call.args.space()) co_return bad("ID takes NIL or a list.");
  if (!call.args.word("NIL")) {
    if (!call.args.take('(')) co_return bad("ID takes NIL or a list.");
    for (std::size_t count = 0; !call.args.take(')'); ++count) {
      if (count >= kMaxIdParameters) co_return bad("ID takes 30 parameters at most.");
      const auto name = call.args.string();
      if (!name || !call.args.space() || !call.args.nstring())
        co_return bad("ID's list holds pairs of strings.");
      call.args.space();
    }
  }
  if (!call.args.at_end()) co_return bad("ID takes one argument.");
  session.out().append("* ID (\"name\" \"Muhur\")\r\n");
  co_return ok("ID completed.");
}

Outcome cmd_namespace(Session& session, Call& call) {
  if (!call.args.at_end()) co_return bad("NAMESPACE takes no arguments.");
  session.out().append("* NAMESPACE ((\"\" \"").append(1, kSeparator).append("\")) NIL NIL\r\n");
  co_return ok("Namespace completed.");
}

}  // namespace muhur::imap

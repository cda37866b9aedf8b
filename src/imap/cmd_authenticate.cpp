// LOGIN and AUTHENTICATE PLAIN (RFC 4616) with an initial response (RFC 4959). All failures look the same.
#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "imap/commands.hpp"

namespace muhur::imap {
namespace {

Reply needs_tls() { return no("Use TLS before signing in.", "PRIVACYREQUIRED"); }

// authzid NUL authcid NUL password. Nobody may act as somebody else.
net::Task<Reply> sign_in_plain(Session& session, std::string_view base64) {
  auto decoded = base64 == "=" ? std::optional<Bytes>(Bytes()) : from_base64(base64);
  if (!decoded) co_return bad("That is no base64.");
  Secret message{ByteView(*decoded)};
  wipe(*decoded);
  const std::string_view text = message.text();
  const std::size_t first = text.find('\0');
  const std::size_t second = first == std::string_view::npos ? first : text.find('\0', first + 1);
  if (second == std::string_view::npos || text.find('\0', second + 1) != std::string_view::npos)
    co_return bad("That is no PLAIN message.");
  const std::string_view acts_as = text.substr(0, first);
  std::string address(text.substr(first + 1, second - first - 1));
  if (!acts_as.empty() && !equals_ignoring_case(acts_as, address))
    co_return no("Nobody may sign in as somebody else.", "AUTHORIZATIONFAILED");
  Secret password = Secret::from_text(text.substr(second + 1));
  co_return co_await session.sign_in(std::move(address), std::move(password));
}

}  // namespace

Outcome cmd_login(Session& session, Call& call) {
  if (!call.args.space()) co_return bad("LOGIN takes a name and a password.");
  auto address = call.args.astring();
  if (!address || !call.args.space()) co_return bad("LOGIN takes a name and a password.");
  auto typed = call.args.astring();
  if (!typed || !call.args.at_end()) co_return bad("LOGIN takes a name and a password.");
  Secret password = Secret::from_text(*typed);
  wipe({reinterpret_cast<Byte*>(typed->data()), typed->size()});
  if (!session.login_allowed()) co_return needs_tls();
  co_return co_await session.sign_in(std::move(*address), std::move(password));
}

Outcome cmd_authenticate(Session& session, Call& call) {
  const auto mechanism = call.args.space() ? call.args.atom() : std::nullopt;
  if (!mechanism) co_return bad("AUTHENTICATE takes a mechanism.");
  if (!session.login_allowed()) co_return needs_tls();
  if (!equals_ignoring_case(*mechanism, "PLAIN"))
    co_return no("That mechanism is not offered here.", "CANNOT");
  if (call.args.space()) {
    const std::string_view initial = call.args.rest();
    co_return co_await sign_in_plain(session, initial);
  }
  if (!call.args.at_end()) co_return bad("AUTHENTICATE takes a mechanism and one response.");

  session.out().append("+ \r\n");  // the space belongs to it, also with nothing behind
  session.reader().next(true);
  session.reader().expect_line(kMaxCommandBeforeLogin);
  const auto unit = co_await session.next_unit();
  if (!unit) co_return std::unexpected(unit.error());
  if (*unit != CommandReader::State::command) co_return bad("That line is too long.");
  if (session.reader().text() == "*") co_return bad("Cancelled.");
  co_return co_await sign_in_plain(session, session.reader().text());
}

}  // namespace muhur::imap

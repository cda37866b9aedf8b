// LOGIN and AUTHENTICATE: PLAIN (RFC 4616), and tokens by OAUTHBEARER (RFC 7628) and XOAUTH2, with or without
// an initial response (RFC 4959). All failures look the same.
#include "base/encoding.hpp"
#include "base/unicode.hpp"
#include "imap/bearer_message.hpp"
#include "imap/commands.hpp"

namespace muhur::imap {
namespace {

Reply needs_tls() { return no("Use TLS before signing in.", "PRIVACYREQUIRED"); }

// "=" stands for nothing.
std::optional<Secret> decode(std::string_view base64) {
  auto decoded = base64 == "=" ? std::optional<Bytes>(Bytes()) : from_base64(base64);
  if (!decoded) return std::nullopt;
  Secret message{ByteView(*decoded)};
  wipe(*decoded);
  return message;
}

// Asks for the client's next line, which lies in the reader then. The refusal when there is none.
net::Task<Result<std::optional<Reply>>> ask(Session& session, std::string_view challenge) {
  session.out().append("+ ").append(challenge).append("\r\n");  // the space belongs to it, also with nothing
  session.reader().next(true);
  session.reader().expect_line(kMaxCommandBeforeLogin);
  const auto unit = co_await session.next_unit();
  if (!unit) co_return std::unexpected(unit.error());
  if (*unit != CommandReader::State::command) co_return bad("That line is too long.");
  if (session.reader().text() == "*") co_return bad("Cancelled.");
  co_return std::nullopt;
}

// authzid NUL authcid NUL password. Nobody may act as somebody else.
net::Task<Reply> sign_in_plain(Session& session, std::string_view base64) {
  const auto message = decode(base64);
  if (!message) co_return bad("That is no base64.");
  const std::string_view text = message->text();
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

Outcome sign_in_by_token(Session& session, BearerForm form, std::string_view base64) {
  std::optional<BearerMessage> message;
  {
    const auto text = decode(base64);
    if (!text) co_return bad("That is no base64.");
    message = parse_bearer_message(form, text->text());
  }
  if (!message) co_return bad("That is no message of this mechanism.");
  Reply reply = co_await session.sign_in_with_token(std::move(message->name), std::move(message->token));
  if (reply.code != "AUTHENTICATIONFAILED") co_return reply;
  // RFC 7628 §3.2.3: what is wrong, then whatever the client has to say (^A, or nothing), then NO.
  const std::string told = bearer_challenge(session.options().openid_configuration);
  MUHUR_CO_CHECK(co_await ask(session, to_base64(as_bytes(told))));
  co_return reply;
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
  std::optional<BearerForm> form;
  if (session.options().token_sign_in) {
    if (equals_ignoring_case(*mechanism, "OAUTHBEARER")) form = BearerForm::oauthbearer;
    if (equals_ignoring_case(*mechanism, "XOAUTH2")) form = BearerForm::xoauth2;
  }
  if (!form && !equals_ignoring_case(*mechanism, "PLAIN"))
    co_return no("That mechanism is not offered here.", "CANNOT");
  std::string_view response;
  if (call.args.space()) {
    response = call.args.rest();
  } else {
    if (!call.args.at_end()) co_return bad("AUTHENTICATE takes a mechanism and one response.");
    MUHUR_CO_TRY(const auto refused, co_await ask(session, ""));
    if (refused) co_return *refused;
    response = session.reader().text();
  }
  if (form) co_return co_await sign_in_by_token(session, *form, response);
  co_return co_await sign_in_plain(session, response);
}

}  // namespace muhur::imap

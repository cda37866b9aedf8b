// Sessions of browsers, their end, and telling clients of it (OpenID Connect RP-Initiated and Back-Channel
// Logout 1.0).
#include <algorithm>
#include <boost/json/value.hpp>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/random.hpp"
#include "oidc/custody.hpp"
#include "oidc/jose.hpp"
#include "oidc/json.hpp"
#include "oidc/provider_impl.hpp"
#include "oidc/scope.hpp"
#include "oidc/standing.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr std::int64_t kLogoutToken_s = 120;
constexpr std::string_view kLogoutEvent = "http://schemas.openid.net/event/backchannel-logout";

// What a browser says of itself, for a list that its user reads.
std::string shown(std::string_view text) {
  std::string line(text.substr(0, 256));
  for (char& c : line)
    if (c < ' ' || c > '~') c = '?';
  return line;
}

std::string amr_of(accounts::CredentialKind how) {
  return how == accounts::CredentialKind::password ? "pwd" : "recovery";
}

}  // namespace

Result<std::optional<Known>> Provider::Impl::known(vault::Connection& c, std::string_view cookie,
                                                   const Client* client) {
  MUHUR_TRY(auto session, find_session(c, cookie, now()));
  if (!session) return std::optional<Known>();
  MUHUR_TRY(auto user, standing_user(users, session->user, session->epoch));
  if (!user) return std::optional<Known>();
  Known known{std::move(*session), std::move(*user), {}};
  if (client) {
    MUHUR_TRY(known.consent, consent_of(c, known.user.id, *client));
  }
  return std::optional(std::move(known));
}

net::Task<Result<std::optional<Known>>> Provider::Impl::present(const Browser& browser) {
  const std::int64_t now_s = now();
  if (browser.session_cookie.empty()) co_return std::optional<Known>();
  auto found = co_await read([&](vault::Connection& c) { return known(c, browser.session_cookie); });
  // Who is there is there, also while that cannot be noted (a full disk).
  if (found && *found && wants_touch((*found)->session, now_s)) {
    const auto noted = co_await write([&](vault::Connection& c) {
      return touch_session(c, (*found)->session, now_s, options.lifetimes.session_idle);
    });
    if (!noted) log::warn("oidc", "a session's use could not be noted", {{"error", noted.error().text()}});
  }
  co_return found;
}

Session Provider::Impl::new_session(const Browser& browser, const accounts::SignedIn& user,
                                    std::string_view cookie) const {
  const std::int64_t now_s = now();
  const auto hash = hash_of(cookie);
  const auto& lifetimes = options.lifetimes;
  return {.hash = {hash.begin(), hash.end()},
          .sid = random_token(16),
          .user = user.user.id,
          .created_s = now_s,
          .last_seen_s = now_s,
          .auth_time_s = now_s,
          .latest_s = now_s + lifetimes.session_absolute,
          .ends_s = now_s + std::min(lifetimes.session_idle, lifetimes.session_absolute),
          .epoch = user.user.epoch,
          .amr = amr_of(user.how),
          .peer = shown(browser.peer),
          .user_agent = shown(browser.user_agent),
          .wrap = wrap_under(cookie, Custody::session, user.user.id, user.dek)};
}

Result<std::vector<Notice>> Provider::Impl::replace_session(vault::Connection& c, const Browser& browser,
                                                            Session& session) {
  std::vector<Notice> notices;
  MUHUR_TRY(const auto old, find_session(c, browser.session_cookie, now()));
  if (old && old->user == session.user) {
    session.sid = old->sid;
    MUHUR_CHECK(drop_session(c, old->hash));
  } else if (old) {
    MUHUR_TRY(notices, oidc::end_session(c, old->user, old->sid, now()));
  }
  MUHUR_CHECK(insert_session(c, session));
  static auto& begun = metrics::counter("muhur_sessions_begun_total", "Sign-ins of browsers");
  begun.add();
  return notices;
}

void Provider::Impl::tell(const std::vector<Notice>& notices) {
  if (notices.empty()) return;
  Notify send;
  {
    const Lock lock(notify_mutex);
    send = notify;
  }
  if (!send) return;
  for (const auto& notice : notices) {
    const auto client = clients->find(notice.client_id);
    if (!client || client->backchannel_logout_uri.empty()) continue;
    const auto key = keys->active(client->id_token_algorithm);
    if (!key) {
      log::error("oidc", "a logout token could not be signed", {{"client", client->id}});
      continue;
    }
    const json::object claims{{"iss", options.issuer},
                              {"aud", client->id},
                              {"iat", now()},
                              {"exp", now() + kLogoutToken_s},
                              {"jti", random_token(16)},
                              {"sub", subjects.of(notice.user)},
                              {"sid", notice.sid},
                              {"events", json::object{{kLogoutEvent, json::object()}}}};
    send(client->backchannel_logout_uri, sign_jwt(claims, "logout+jwt", key->kid, key->key));
  }
}

// Any age and any key of ours will do (RP-Initiated Logout §2): it says who, not that they are still there.
Result<Provider::Impl::Hint> Provider::Impl::read_hint(std::string_view id_token) const {
  const auto refuse = [] { return fail(Code::denied, "the ID token is none of ours"); };
  const auto jws = parse_jws(id_token);
  if (!jws || text_of(jws->header, "typ").value_or("JWT") != "JWT") return refuse();
  const auto key = keys->find(text_of(jws->header, "kid").value_or(""));
  if (!key || !verify_jws(*jws, *key, kAccepted)) return refuse();
  const auto subject = text_of(jws->payload, "sub");
  if (text_of(jws->payload, "iss") != options.issuer || !subject || !jws->payload.contains("auth_time"))
    return refuse();
  return Hint{std::string(*subject), std::string(text_of(jws->payload, "sid").value_or("")),
              clients->find(text_of(jws->payload, "aud").value_or(""))};
}

net::Task<Provider::LogoutOutcome> Provider::Impl::logout(http::Form form, Browser browser, bool confirmed) {
  const std::int64_t now_s = now();
  LogoutOutcome outcome;
  if (form.has("pending")) {  // the confirmation page came back
    auto pending = open_pending(pending_key, form.value("pending"), browser.binding, now_s);
    form = pending ? std::move(pending->form) : http::Form();
  }
  const bool hinted = form.has("id_token_hint");
  Result<Hint> hint = fail(Code::not_found, "no hint");
  if (hinted) hint = read_hint(form.value("id_token_hint"));
  const auto client_id = form.value("client_id");
  if (hint && !client_id.empty() && (!hint->client || hint->client->id != client_id))
    hint = fail(Code::denied, "the hint is another client's");
  const auto client = hint ? hint->client : hinted ? nullptr : clients->find(client_id);

  outcome.client = client;
  std::string target;
  const auto uri = form.value("post_logout_redirect_uri");
  if (client && !uri.empty() && form.all("post_logout_redirect_uri").size() == 1 &&
      has_word(client->post_logout_redirect_uris, uri)) {
    http::Form parameters;
    if (const auto state = form.get("state"); state && !state->empty())
      parameters.add("state", std::string(*state));
    target = http::with_query(uri, parameters);
  }

  const auto found = co_await present(browser);
  outcome.failed = !found;  // a session that cannot be looked up is not ended
  const auto session = found ? *found : std::nullopt;
  const bool sure = confirmed || (hint && session && hint->subject == subjects.of(session->user.id) &&
                                  (hint->sid.empty() || hint->sid == session->session.sid));
  if (outcome.failed) co_return outcome;
  if (session && !sure) {
    outcome.confirm = true;
    outcome.redirect = std::move(target);
    outcome.pending = seal_pending(
        pending_key,
        {.id = random_token(16), .ends_s = now_s + options.lifetimes.pending, .form = std::move(form)},
        browser.binding);
    co_return outcome;
  }
  if (session) {
    const auto notices = co_await write([&](vault::Connection& c) {
      return oidc::end_session(c, session->user.id, session->session.sid, now_s);
    });
    outcome.failed = !notices;
    if (outcome.failed) co_return outcome;
    tell(*notices);
    outcome.ended = true;
  }
  if (hint || confirmed) outcome.redirect = std::move(target);
  co_return outcome;
}

net::Task<Provider::LogoutOutcome> Provider::logout(http::Form parameters, Browser browser, bool confirmed) {
  return impl_->logout(std::move(parameters), std::move(browser), confirmed);
}

net::Task<std::optional<accounts::User>> Provider::session_user(Browser browser) {
  auto found = co_await impl_->present(browser);
  if (!found || !*found) co_return std::nullopt;
  co_return std::move((*found)->user);
}

net::Task<Result<std::string>> Provider::start_session(Browser browser, accounts::SignedIn user) {
  if (user.how == accounts::CredentialKind::app_password)
    co_return fail(Code::denied, "an app password does not open the account's pages");
  std::string cookie = random_token();
  Session session = impl_->new_session(browser, user, cookie);
  MUHUR_CO_TRY(const auto notices, co_await impl_->write([&](vault::Connection& c) {
    return impl_->replace_session(c, browser, session);
  }));
  impl_->tell(notices);
  co_return cookie;
}

net::Task<Result<std::vector<SessionInfo>>> Provider::sessions(accounts::UserId user, Browser browser) {
  const std::int64_t now_s = impl_->now();
  MUHUR_CO_TRY(const auto rows,
               co_await impl_->read([&](vault::Connection& c) -> Result<std::vector<Session>> {
                 MUHUR_TRY(const auto owner, impl_->users.by_id(user));
                 MUHUR_TRY(auto all, sessions_of(c, user, now_s));
                 std::erase_if(all, [&](const Session& one) { return one.epoch != owner.epoch; });
                 return all;
               }));
  const auto own = hash_of(browser.session_cookie);
  std::vector<SessionInfo> list;
  for (const auto& row : rows)
    list.push_back({.sid = row.sid,
                    .created_s = row.created_s,
                    .last_seen_s = row.last_seen_s,
                    .peer = row.peer,
                    .user_agent = row.user_agent,
                    .current = std::ranges::equal(row.hash, own)});
  co_return list;
}

net::Task<Result<void>> Provider::end_session(accounts::UserId user, std::string sid) {
  const std::int64_t now_s = impl_->now();
  MUHUR_CO_TRY(const auto notices, co_await impl_->write([&](vault::Connection& c) {
    return oidc::end_session(c, user, sid, now_s);
  }));
  impl_->tell(notices);
  co_return Result<void>();
}

void Provider::user_changed(accounts::UserId user) {
  const auto notices =
      impl_->store->database().write([&](vault::Connection& c) { return end_all(c, user, impl_->now()); });
  if (!notices) {
    log::error("oidc", "a changed user's sessions could not be ended",
               {{"user", user}, {"error", notices.error().text()}});
    return;
  }
  impl_->tell(*notices);
}

}  // namespace muhur::oidc

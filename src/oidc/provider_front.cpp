// The front channel: from an authorization request through the pages to a code.
#include "base/random.hpp"
#include "crypto/aead.hpp"
#include "oidc/custody.hpp"
#include "oidc/par.hpp"
#include "oidc/provider_impl.hpp"
#include "oidc/scope.hpp"

namespace muhur::oidc {
namespace {

using Step = Decision::Step;

// What an answer uses up. false: it was used before.
Result<bool> use_up_pushed(vault::Connection& c, const Pending& pending, const Lifetimes& lifetimes,
                           std::int64_t now_s) {
  if (pending.pushed.empty()) return true;
  return use_pushed(c, pending.pushed, now_s + lifetimes.pushed_request + lifetimes.pending);
}
Result<bool> use_up(vault::Connection& c, const Pending& pending, const Lifetimes& lifetimes,
                    std::int64_t now_s) {
  MUHUR_TRY(const bool first, Store::remember_once(c, {"pending " + pending.id, pending.ends_s}));
  if (!first) return false;
  return use_up_pushed(c, pending, lifetimes, now_s);
}

Outcome over(const AuthorizationRequest& request, OAuthError error) {
  Outcome outcome;
  outcome.error = std::move(error);
  outcome.page_is_over = true;
  outcome.client = request.client;
  outcome.ui_locales = request.ui_locales;
  return outcome;
}

OAuthError other_session() {
  return refusal("invalid_request", "another session began since this page was shown").error();
}
OAuthError used_up() { return refusal("invalid_request", "this page was answered before").error(); }

// A grant with its code, for whoever the session says is there.
Result<std::string> make_code(vault::Connection& c, const AuthorizationRequest& request,
                              const Session& session, const Secret& dek, const Lifetimes& lifetimes,
                              std::int64_t now_s) {
  const Client& client = *request.client;
  Grant grant{.client_id = client.id,
              .user = session.user,
              .sid = session.sid,
              .scope = joined(request.scopes),
              .resource = joined(request.resources),
              .claims = request.claims,
              .amr = session.amr,
              .auth_time_s = session.auth_time_s,
              .jkt = request.dpop_jkt,
              .offline = has_word(request.scopes, "offline_access"),
              .ends_s = now_s + lifetimes.code + kRememberCodes_s,
              .epoch = session.epoch,
              .client_ms = client.created_ms};
  MUHUR_TRY(grant.id, insert_grant(c, grant));
  std::string code = random_token();
  std::optional<Bytes> wrap;
  if (has_word(request.scopes, "mail")) wrap = wrap_if_any(code, Custody::code, session.user, dek);
  MUHUR_CHECK(insert_code(c, code,
                          {.grant_id = grant.id,
                           .redirect_uri = request.redirect_uri,
                           .challenge = request.challenge,
                           .nonce = request.nonce,
                           .ends_s = now_s + lifetimes.code,
                           .wrap = std::move(wrap)}));
  if (!client.backchannel_logout_uri.empty())
    MUHUR_CHECK(note_client(c, session.sid, client.id, session.latest_s));
  return code;
}

Present present_of(const Known& known, const Subjects& subjects) {
  return {.subject = subjects.of(known.user.id),
          .auth_time_s = known.session.auth_time_s,
          .groups = groups_of(known.user)};
}

}  // namespace

Outcome Provider::Impl::page(OAuthError error) const {
  Outcome outcome;
  outcome.error = std::move(error);
  return outcome;
}

// Every way back to a client goes through here: the URI is looked up in the registration once more.
Outcome Provider::Impl::refused(RequestRefusal refusal) const {
  Outcome outcome = page(std::move(refusal.error));
  outcome.client = std::move(refusal.client);
  if (!outcome.client || refusal.redirect_uri.empty() ||
      !redirect_uri_matches(*outcome.client, refusal.redirect_uri))
    return outcome;
  outcome.kind = Outcome::Kind::respond;
  outcome.redirect_uri = std::move(refusal.redirect_uri);
  outcome.form_post = refusal.form_post;
  outcome.parameters.add("error", outcome.error.code);
  if (!outcome.error.description.empty())
    outcome.parameters.add("error_description", outcome.error.description);
  if (!refusal.state.empty()) outcome.parameters.add("state", std::move(refusal.state));
  outcome.parameters.add("iss", options.issuer);
  return outcome;
}

Outcome Provider::Impl::refused(const AuthorizationRequest& request, OAuthError error) const {
  return refused({std::move(error), request.client, request.redirect_uri, request.state, request.form_post});
}

Outcome Provider::Impl::answer(const AuthorizationRequest& request, std::string code) const {
  if (!redirect_uri_matches(*request.client, request.redirect_uri))
    return page(refusal("invalid_request", "redirect_uri is not registered for this client").error());
  Outcome outcome;
  outcome.kind = Outcome::Kind::respond;
  outcome.client = request.client;
  outcome.redirect_uri = request.redirect_uri;
  outcome.form_post = request.form_post;
  outcome.parameters.add("code", std::move(code));
  if (!request.state.empty()) outcome.parameters.add("state", request.state);
  outcome.parameters.add("iss", options.issuer);
  return outcome;
}

Outcome Provider::Impl::ask(Outcome::Kind kind, const AuthorizationRequest& request, const Pending& pending,
                            const Browser& browser) const {
  Outcome outcome;
  outcome.kind = kind;
  outcome.client = request.client;
  outcome.redirect_uri = request.redirect_uri;
  outcome.pending = seal_pending(pending_key, pending, browser.binding);
  outcome.scopes = request.scopes;
  outcome.login_hint = request.login_hint;
  outcome.ui_locales = request.ui_locales;
  return outcome;
}

std::expected<AuthorizationRequest, Outcome> Provider::Impl::understand(const http::Form& form, bool pushed) {
  auto request = read_request(*clients, form, pushed);
  if (!request) return std::unexpected(refused(std::move(request).error()));
  if (!request->id_token_hint.empty()) {
    const auto hint = read_hint(request->id_token_hint);
    if (!hint)
      return std::unexpected(
          refused(*request, refusal("invalid_request", "id_token_hint is none of ours").error()));
    if (!request->wanted_subject.empty() && request->wanted_subject != hint->subject)
      return std::unexpected(
          refused(*request, refusal("invalid_request", "claims and id_token_hint differ").error()));
    request->wanted_subject = hint->subject;
  }
  return std::move(*request);
}

net::Task<Outcome> Provider::Impl::authorize(http::Form form, Browser browser) {
  const std::int64_t now_s = now();
  std::string pushed;
  if (form.value("request_uri").starts_with(kPushedPrefix) && !form.has("request")) {
    const std::string client_id(form.value("client_id"));
    const std::string secret(form.value("request_uri").substr(kPushedPrefix.size()));
    const auto taken =
        co_await read([&](vault::Connection& c) { return find_pushed(c, secret, client_id, now_s); });
    if (!taken) co_return page(failure_of(taken.error()));
    if (!*taken) co_return page(refusal("invalid_request", "request_uri is unknown, used or over").error());
    auto kept = http::Form::parse(**taken);
    if (!kept) co_return page(failure_of(kept.error()));
    form = std::move(*kept);
    pushed = secret;
  }
  const auto request = understand(form, !pushed.empty());
  if (!request) co_return request.error();
  const auto found = co_await read(
      [&](vault::Connection& c) { return known(c, browser.session_cookie, request->client.get()); });
  if (!found) co_return page(failure_of(found.error()));
  std::optional<Present> who;
  if (*found) who = present_of(**found, subjects);
  auto decision = decide(*request, who, *found ? (*found)->consent : "", now_s);
  Secret dek;
  if (decision.step == Step::issue && has_word(request->scopes, "mail")) {
    auto opened =
        unwrap_with(browser.session_cookie, Custody::session, (*found)->user.id, (*found)->session.wrap);
    if (!opened) co_return page(failure_of(opened.error()));
    dek = std::move(*opened);
  }
  Pending pending{.id = random_token(16),
                  .ends_s = now_s + options.lifetimes.pending,
                  .form = std::move(form),
                  .pushed = pushed};
  switch (decision.step) {
    case Step::refuse:
      co_return refused(*request, std::move(decision.error));
    case Step::sign_in:
      co_return ask(Outcome::Kind::sign_in, *request, pending, browser);
    case Step::consent: {
      pending.sid = (*found)->session.sid;
      pending.auth_time_s = (*found)->session.auth_time_s;
      auto outcome = ask(Outcome::Kind::consent, *request, pending, browser);
      outcome.user = (*found)->user;
      co_return outcome;
    }
    case Step::issue:
      break;
  }
  bool ended = false;
  auto code = co_await write([&](vault::Connection& c) -> Result<std::string> {
    MUHUR_TRY(const bool there, is_there(c, (*found)->session, now_s));
    ended = !there;
    if (ended) return std::string();
    MUHUR_TRY(const bool first, use_up_pushed(c, pending, options.lifetimes, now_s));
    if (!first) return std::string();
    MUHUR_CHECK(touch_session(c, (*found)->session, now_s, options.lifetimes.session_idle));
    return make_code(c, *request, (*found)->session, dek, options.lifetimes, now_s);
  });
  if (!code) co_return page(failure_of(code.error()));
  if (ended && request->prompts_for("none"))
    co_return refused(*request, refusal("login_required", "the session has just ended").error());
  if (ended) co_return ask(Outcome::Kind::sign_in, *request, pending, browser);
  if (code->empty())
    co_return page(refusal("invalid_request", "request_uri is unknown, used or over").error());
  co_return answer(*request, std::move(*code));
}

std::expected<std::pair<Pending, AuthorizationRequest>, Outcome> Provider::Impl::reopen(
    std::string_view text, const Browser& browser) {
  auto pending = open_pending(pending_key, text, browser.binding, now());
  if (!pending) {
    Outcome outcome = page(refusal("invalid_request", pending.error().what).error());
    outcome.page_is_over = true;
    return std::unexpected(std::move(outcome));
  }
  auto request = understand(pending->form, !pending->pushed.empty());
  if (!request) return std::unexpected(request.error());
  return std::pair{std::move(*pending), std::move(*request)};
}

Outcome Provider::Impl::again(std::string_view text, const Browser& browser) {
  const auto opened = reopen(text, browser);
  if (!opened) return opened.error();
  return ask(Outcome::Kind::sign_in, opened->second, opened->first, browser);
}

net::Task<Outcome> Provider::Impl::signed_in(std::string text, Browser browser, accounts::SignedIn user) {
  // An app password opens one program's mail and nothing else.
  if (user.how == accounts::CredentialKind::app_password) co_return again(text, browser);
  auto opened = reopen(text, browser);
  if (!opened) co_return opened.error();
  auto& [pending, request] = *opened;
  const std::int64_t now_s = now();
  const std::string cookie = random_token();
  Session session = new_session(browser, user, cookie);
  const Present who{.subject = subjects.of(user.user.id),
                    .auth_time_s = now_s,
                    .groups = groups_of(user.user),
                    .fresh = true};
  struct Done {
    Decision decision;
    std::string code;
    std::vector<Notice> notices;
    bool repeated = false;
  };
  auto done = co_await write([&](vault::Connection& c) -> Result<Done> {
    Done d;
    MUHUR_TRY(const auto remembered, consent_of(c, user.user.id, *request.client));
    d.decision = decide(request, who, remembered, now_s);
    if (d.decision.step != Step::consent) {
      MUHUR_TRY(const bool first, use_up(c, pending, options.lifetimes, now_s));
      d.repeated = !first;
      if (d.repeated) return d;
    }
    MUHUR_TRY(d.notices, replace_session(c, browser, session));
    if (d.decision.step == Step::issue) {
      MUHUR_TRY(d.code, make_code(c, request, session, user.dek, options.lifetimes, now_s));
    }
    return d;
  });
  if (!done) co_return page(failure_of(done.error()));
  if (done->repeated) co_return over(request, used_up());
  tell(done->notices);
  Outcome outcome;
  switch (done->decision.step) {
    case Step::issue:
      outcome = answer(request, std::move(done->code));
      break;
    case Step::consent:
      pending.sid = session.sid;
      pending.auth_time_s = session.auth_time_s;
      outcome = ask(Outcome::Kind::consent, request, pending, browser);
      outcome.user = std::move(user.user);
      break;
    default:
      outcome = refused(request, std::move(done->decision.error));
      break;
  }
  outcome.set_session = cookie;
  co_return outcome;
}

net::Task<Outcome> Provider::Impl::consented(std::string text, Browser browser, bool approved) {
  const auto opened = reopen(text, browser);
  if (!opened) co_return opened.error();
  const auto& [pending, request] = *opened;
  const std::int64_t now_s = now();
  const auto found = co_await read([&](vault::Connection& c) { return known(c, browser.session_cookie); });
  if (!found) co_return page(failure_of(found.error()));
  // The page asked one user in one session: nobody else answers it.
  if (pending.sid.empty() || !*found || (*found)->session.sid != pending.sid ||
      (*found)->session.auth_time_s != pending.auth_time_s)
    co_return over(request, other_session());
  Present who = present_of(**found, subjects);
  who.consented = true;
  auto decision = decide(request, who, "", now_s);
  if (!approved) decision = {Step::refuse, refusal("access_denied", "the user said no").error()};
  Secret dek;
  if (decision.step == Step::issue && has_word(request.scopes, "mail")) {
    auto key =
        unwrap_with(browser.session_cookie, Custody::session, (*found)->user.id, (*found)->session.wrap);
    if (!key) co_return page(failure_of(key.error()));
    dek = std::move(*key);
  }
  struct Done {
    std::string code;
    bool repeated = false, ended = false;
  };
  auto done = co_await write([&](vault::Connection& c) -> Result<Done> {
    Done d;
    MUHUR_TRY(const bool there, is_there(c, (*found)->session, now_s));
    d.ended = !there;
    if (d.ended) return d;
    MUHUR_TRY(const bool first, use_up(c, pending, options.lifetimes, now_s));
    d.repeated = !first;
    if (d.repeated || decision.step != Step::issue) return d;
    MUHUR_CHECK(remember_consent(c, (*found)->user.id, *request.client, joined(request.scopes), now_s));
    MUHUR_TRY(d.code, make_code(c, request, (*found)->session, dek, options.lifetimes, now_s));
    return d;
  });
  if (!done) co_return page(failure_of(done.error()));
  if (done->ended) co_return over(request, other_session());
  if (done->repeated) co_return over(request, used_up());
  if (decision.step != Step::issue) co_return refused(request, std::move(decision.error));
  co_return answer(request, std::move(done->code));
}

}  // namespace muhur::oidc

// The direct requests that hand something out: token, PAR, device authorization.
#include <algorithm>
#include <array>
#include <boost/json/value.hpp>

#include "base/metrics.hpp"
#include "base/random.hpp"
#include "crypto/seal.hpp"
#include "oidc/custody.hpp"
#include "oidc/discovery.hpp"
#include "oidc/par.hpp"
#include "oidc/provider_impl.hpp"
#include "oidc/scope.hpp"
#include "oidc/standing.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr int kUserCodeTries = 5;
constexpr std::size_t kMaxPushed = 16 * 1024;

enum class Decided { done, unknown, not_allowed, signed_out };

// Grants by name of the known ones, so that nobody fills the metrics with names of their own.
void count_grant(std::string_view type, bool granted) {
  static constexpr std::string_view kTypes[] = {"authorization_code", "refresh_token", "client_credentials",
                                                kDeviceGrant};
  static constexpr std::string_view kLabels[] = {"authorization_code", "refresh_token", "client_credentials",
                                                 "device_code", "other"};
  static const auto counters = [] {
    std::array<std::array<metrics::Counter*, 2>, std::size(kLabels)> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const bool ok : {false, true})
        all[i][ok] = &metrics::counter(
            "muhur_token_requests_total", "Token requests that were answered, by grant and result",
            metrics::label("grant", kLabels[i]) + "," + metrics::label("result", ok ? "ok" : "refused"));
    return all;
  }();
  const auto at = static_cast<std::size_t>(std::ranges::find(kTypes, type) - std::begin(kTypes));
  counters[at][granted]->add();
}

bool is_credential(std::string_view name) {
  return name == "client_secret" || name == "client_assertion" || name == "client_assertion_type";
}

}  // namespace

Ruled<Caller> Provider::Impl::enter(const TokenRequest& request) {
  static const http::Form kNone;
  const http::Form& form = request.presented.form ? *request.presented.form : kNone;
  for (const auto& [name, value] : form.fields())
    if (name != "resource" && form.all(name).size() > 1)
      return refusal("invalid_request", "a parameter is there twice");
  const std::int64_t now_s = now();
  const std::string audiences[] = {options.issuer, options.issuer + std::string(path::kToken), request.url};
  auto authenticated = authenticate_client(*clients, request.presented, audiences, now_s);
  if (!authenticated) return std::unexpected(std::move(authenticated).error());
  Caller caller{.client = std::move(authenticated->client)};
  if (!authenticated->assertion_jti.empty())
    caller.seen.push_back({{"assertion " + authenticated->assertion_jti, authenticated->assertion_expires_s},
                           refusal("invalid_client", "client authentication failed", 401).error()});
  if (!request.dpop.empty()) {
    const bool nonce = wants_nonce(*caller.client, request);
    auto proof = dpop.check(request.dpop, "POST", request.url, now_s, std::nullopt, nonce);
    if (!proof) return std::unexpected(std::move(proof).error());
    caller.jkt = std::move(proof->jkt);
    caller.seen.push_back({{"dpop " + proof->jti, proof->expires_s},
                           refusal("invalid_dpop_proof", "the proof was used before").error()});
  }
  return caller;
}

bool Provider::Impl::wants_nonce(const Client& client, const TokenRequest& request) {
  if (!options.require_dpop_nonce && !client.require_dpop_nonce) return false;
  if (request.fresh_nonce) *request.fresh_nonce = dpop.nonce(now());
  return true;
}

net::Task<JsonAnswer> Provider::Impl::token(TokenRequest request) {
  const auto caller = enter(request);
  if (!caller) co_return std::unexpected(caller.error());
  if (!request.presented.form) co_return refusal("invalid_request", "no form");
  if (caller->client->require_dpop && caller->jkt.empty())
    co_return refusal("invalid_dpop_proof", "this client must use DPoP");
  // Before anything is consumed: what may fail.
  const auto key = keys->active(caller->client->id_token_algorithm);
  if (!key) co_return std::unexpected(failure_of(key.error()));
  const TokenCall call{.form = *request.presented.form,
                       .caller = *caller,
                       .subjects = subjects,
                       .users = users,
                       .issuer = options.issuer,
                       .lifetimes = options.lifetimes,
                       .key = &*key,
                       .now_s = now()};
  const auto done = co_await write([&](vault::Connection& c) { return run_grant(c, call); });
  if (!done) co_return std::unexpected(failure_of(done.error()));
  count_grant(call.form.value("grant_type"), done->has_value());
  if (!*done) co_return std::unexpected(done->error());
  co_return token_answer(call, **done);
}

// RFC 9126: the request is judged now, as it will be again when it is used.
net::Task<JsonAnswer> Provider::Impl::push(TokenRequest request) {
  const auto caller = enter(request);
  if (!caller) co_return std::unexpected(caller.error());
  if (!request.presented.form) co_return refusal("invalid_request", "no form");
  const http::Form& form = *request.presented.form;
  if (form.has("request_uri")) co_return refusal("invalid_request", "request_uri cannot be pushed");
  http::Form kept;
  for (const auto& [name, value] : form.fields())
    if (!is_credential(name)) kept.add(name, value);
  kept.set("client_id", caller->client->id);
  if (!caller->jkt.empty()) {
    if (const auto jkt = kept.get("dpop_jkt"); jkt && *jkt != caller->jkt)
      co_return refusal("invalid_dpop_proof", "dpop_jkt is not the proof's key");
    kept.set("dpop_jkt", caller->jkt);
  }
  const auto judged = read_request(*clients, kept, true);
  if (!judged) co_return std::unexpected(judged.error().error);
  const std::string text = kept.encoded();
  if (text.size() > kMaxPushed) co_return refusal("invalid_request", "the request is too large", 413);
  const std::string secret = random_token();
  const std::int64_t ends_s = now() + options.lifetimes.pushed_request;
  const auto done = co_await write([&](vault::Connection& c) -> Result<Ruled<void>> {
    MUHUR_TRY(auto fresh, remember(c, *caller));
    if (fresh) MUHUR_CHECK(insert_pushed(c, secret, caller->client->id, text, ends_s));
    return fresh;
  });
  if (!done) co_return std::unexpected(failure_of(done.error()));
  if (!*done) co_return std::unexpected(done->error());
  co_return json::object{{"request_uri", std::string(kPushedPrefix) + secret},
                         {"expires_in", options.lifetimes.pushed_request}};
}

net::Task<JsonAnswer> Provider::Impl::device_authorize(TokenRequest request) {
  const auto caller = enter(request);
  if (!caller) co_return std::unexpected(caller.error());
  if (!request.presented.form) co_return refusal("invalid_request", "no form");
  const Client& client = *caller->client;
  if (!has_word(client.grant_types, kDeviceGrant))
    co_return refusal("unauthorized_client", "this client may not use this grant");
  const auto scopes = check_scopes(client, request.presented.form->value("scope"));
  if (!scopes) co_return std::unexpected(scopes.error());
  const auto resources = check_resources(client, *request.presented.form);
  if (!resources) co_return std::unexpected(resources.error());
  const std::string device_code = random_token();
  const std::int64_t now_s = now();
  const auto done = co_await write([&](vault::Connection& c) -> Result<Ruled<std::string>> {
    MUHUR_TRY(const auto fresh, remember(c, *caller));
    if (!fresh) return Ruled<std::string>(std::unexpected(fresh.error()));
    for (int i = 0; i < kUserCodeTries; ++i) {
      std::string user_code = make_user_code();
      MUHUR_TRY(const bool made, insert_device(c, device_code, user_code,
                                               {.client_id = client.id,
                                                .scope = joined(*scopes),
                                                .resource = joined(*resources),
                                                .ends_s = now_s + options.lifetimes.device_code}));
      if (made) return Ruled<std::string>(std::move(user_code));
    }
    return fail(Code::busy, "no user code is free");
  });
  if (!done) co_return std::unexpected(failure_of(done.error()));
  if (!*done) co_return std::unexpected(done->error());
  const std::string page = options.issuer + "/device";
  co_return json::object{{"device_code", device_code},
                         {"user_code", **done},
                         {"verification_uri", page},
                         {"verification_uri_complete", page + "?user_code=" + **done},
                         {"expires_in", options.lifetimes.device_code},
                         {"interval", kDeviceInterval_s}};
}

net::Task<Result<Provider::DeviceRequest>> Provider::find_device(std::string user_code, Browser browser) {
  const std::int64_t now_s = impl_->now();
  MUHUR_CO_TRY(auto look, impl_->user_codes.admit(browser.peer, now_s));
  MUHUR_CO_TRY(const auto code, co_await impl_->read([&](vault::Connection& c) {
    return find_device_by_user_code(c, user_code, now_s);
  }));
  const auto client = code ? impl_->clients->find(code->client_id) : nullptr;
  if (!client) {
    look.wrong(now_s);
    co_return fail(Code::not_found, "there is no such code", "Look at the device again: codes run out");
  }
  co_return DeviceRequest{client, words_of(code->scope), show_user_code(user_code)};
}

net::Task<Result<void>> Provider::decide_device(std::string user_code, Browser browser, bool approved) {
  const std::int64_t now_s = impl_->now();
  MUHUR_CO_TRY(const auto found, co_await impl_->present(browser));
  if (!found) co_return fail(Code::denied, "nobody is signed in");
  const auto& [session, user, consent] = *found;
  MUHUR_CO_TRY(auto look, impl_->user_codes.admit(browser.peer, now_s));
  MUHUR_CO_TRY(Secret dek, unwrap_with(browser.session_cookie, Custody::session, session.user, session.wrap));
  MUHUR_CO_TRY(const auto outcome, co_await impl_->write([&](vault::Connection& c) -> Result<Decided> {
    MUHUR_TRY(const bool there, is_there(c, session, now_s));
    if (!there) return Decided::signed_out;
    MUHUR_TRY(auto code, find_device_by_user_code(c, user_code, now_s));
    if (!code) return Decided::unknown;
    const auto client = impl_->clients->find(code->client_id);
    const bool allowed = client && is_open_to(*client, groups_of(user));
    if (approved && !allowed) return Decided::not_allowed;
    code->state = approved ? DeviceState::approved : DeviceState::denied;
    code->user = session.user;
    code->sid = session.sid;
    code->amr = session.amr;
    code->auth_time_s = session.auth_time_s;
    code->epoch = session.epoch;
    if (approved && has_word(code->scope, "mail")) {
      MUHUR_TRY(code->dek, crypto::seal_to(code->public_half, dek.view()));
    }
    MUHUR_TRY(const bool first, oidc::decide_device(c, *code, now_s));
    return first ? Decided::done : Decided::unknown;
  }));
  if (outcome == Decided::signed_out) co_return fail(Code::denied, "nobody is signed in");
  if (outcome == Decided::not_allowed) co_return fail(Code::denied, "this user may not use this client");
  if (outcome == Decided::unknown) {
    look.wrong(now_s);
    co_return fail(Code::not_found, "there is no such code", "Look at the device again: codes run out");
  }
  co_return Result<void>();
}

}  // namespace muhur::oidc

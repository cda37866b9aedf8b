#include "oidc/token.hpp"

#include "base/random.hpp"
#include "oidc/custody.hpp"
#include "oidc/pkce.hpp"
#include "oidc/request.hpp"
#include "oidc/scope.hpp"
#include "oidc/sso.hpp"
#include "oidc/standing.hpp"
#include "oidc/token_issue.hpp"

namespace muhur::oidc {
namespace {

using Reply = Ruled<Issued>;

std::unexpected<OAuthError> no_grant(std::string_view why) { return refusal("invalid_grant", why); }

// What RFC 8707 lets a token request name: some of what was granted; nothing named means all.
Ruled<std::string> narrowed(const TokenCall& call, std::string_view granted) {
  std::vector<std::string> named;
  for (const auto resource : call.form.all("resource")) {
    if (!has_word(granted, resource)) return refusal("invalid_target", "a resource that was not granted");
    if (!has_word(named, resource)) named.emplace_back(resource);
  }
  return named.empty() ? std::string(granted) : joined(named);
}

bool gets_refresh(const Client& client) { return has_word(client.grant_types, "refresh_token"); }

// A new refresh token of the grant, with the mailbox's key under it.
Result<std::string> new_refresh(vault::Connection& c, const TokenCall& call, const Grant& grant,
                                const Secret& dek) {
  std::string refresh = random_token();
  MUHUR_CHECK(insert_refresh(c, refresh,
                             {.grant_id = grant.id,
                              .ends_s = call.now_s + call.caller.client->refresh_token_s,
                              .wrap = wrap_if_any(refresh, Custody::refresh_token, grant.user, dek)}));
  return refresh;
}

// Who the tokens are about. Whoever may not use the client any more ends the grant.
Result<Ruled<accounts::User>> user_of(vault::Connection& c, const TokenCall& call, const Grant& grant) {
  MUHUR_TRY(auto user, standing_user(call.users, grant.user, grant.epoch));
  if (user && is_open_to(*call.caller.client, groups_of(*user)))
    return Ruled<accounts::User>(std::move(*user));
  MUHUR_CHECK(revoke_grant(c, grant.id, call.now_s));
  return Ruled<accounts::User>(no_grant("the user is gone, or may not use this client any more"));
}

// The first tokens of a grant.
Result<Reply> begin(vault::Connection& c, const TokenCall& call, Grant grant, std::string resource,
                    Secret dek, std::string nonce) {
  MUHUR_TRY(auto user, user_of(c, call, grant));
  if (!user) return Reply(std::unexpected(user.error()));
  const Client& client = *call.caller.client;
  // RFC 9449 §5: what a public client holds is bound to its key; another client proves who it is each time.
  if (client.auth == ClientAuth::none && grant.jkt != call.caller.jkt) {
    grant.jkt = call.caller.jkt;
    MUHUR_CHECK(bind_grant(c, grant.id, grant.jkt));
  }
  std::string refresh;
  if (gets_refresh(client)) {
    MUHUR_TRY(refresh, new_refresh(c, call, grant, dek));
  }
  std::string scope = grant.scope;
  MUHUR_TRY(auto issued, issue_tokens(c, call,
                                      {.grant = std::move(grant),
                                       .scope = std::move(scope),
                                       .resource = std::move(resource),
                                       .dek = std::move(dek),
                                       .refresh = std::move(refresh)}));
  issued.user = std::move(*user);
  issued.nonce = std::move(nonce);
  return Reply(std::move(issued));
}

// RFC 6749 §4.1.3. A code that is shown wrongly is burnt, and what hangs on it is taken back.
Result<Reply> by_code(vault::Connection& c, const TokenCall& call) {
  const auto secret = call.form.value("code");
  if (secret.empty()) return Reply(refusal("invalid_request", "code is missing"));
  MUHUR_TRY(auto code, use_code(c, secret, call.now_s));
  if (!code) return Reply(no_grant("the code is unknown or used"));
  MUHUR_TRY(auto grant, find_grant(c, code->grant_id, call.now_s));
  if (!grant) return Reply(no_grant("the code is over"));
  const auto burn = [&](const OAuthError& error) -> Result<Reply> {
    MUHUR_CHECK(revoke_grant(c, grant->id, call.now_s));
    return Reply(std::unexpected(error));
  };
  const auto burn_because = [&](std::string_view why) { return burn(no_grant(why).error()); };
  if (code->ends_s <= call.now_s) return burn_because("the code is over");
  if (!is_made_for(*grant, *call.caller.client)) return burn_because("the code is another client's");
  if (code->redirect_uri != call.form.value("redirect_uri"))
    return burn_because("redirect_uri is not that of the authorization request");
  if (const auto pkce = verify_challenge(code->challenge, call.form.value("code_verifier")); !pkce)
    return burn(pkce.error());
  if (!grant->jkt.empty() && grant->jkt != call.caller.jkt)
    return burn_because("the code is bound to another DPoP key");
  auto resource = narrowed(call, grant->resource);
  if (!resource) return burn(resource.error());
  Secret dek;
  if (code->wrap) {
    MUHUR_TRY(dek, unwrap_with(secret, Custody::code, grant->user, *code->wrap));
  }
  return begin(c, call, std::move(*grant), std::move(*resource), std::move(dek), std::move(code->nonce));
}

// RFC 6749 §6 with rotation (RFC 9700 §4.14.2). All that can be refused is refused before anything is used
// up.
Result<Reply> by_refresh(vault::Connection& c, const TokenCall& call) {
  const auto secret = call.form.value("refresh_token");
  if (secret.empty()) return Reply(refusal("invalid_request", "refresh_token is missing"));
  MUHUR_TRY(const auto token, find_refresh(c, secret));
  if (!token || token->ends_s <= call.now_s) return Reply(no_grant("the refresh token is unknown or over"));
  MUHUR_TRY(auto grant, find_grant(c, token->grant_id, call.now_s));
  if (!grant || !is_made_for(*grant, *call.caller.client))
    return Reply(no_grant("the refresh token is unknown or over"));
  if (!grant->jkt.empty() && call.caller.client->auth == ClientAuth::none && grant->jkt != call.caller.jkt)
    return Reply(no_grant("the refresh token is bound to another DPoP key"));
  // Another use once its successor is out means that two hold it: but for a client that lost the answer.
  const bool repeated = token->used_s.has_value();
  if (repeated && call.now_s - *token->used_s > call.lifetimes.refresh_grace) {
    MUHUR_CHECK(revoke_grant(c, grant->id, call.now_s));
    return Reply(no_grant("the refresh token was used before"));
  }
  std::string scope = grant->scope;
  if (const auto asked = call.form.get("scope")) {
    if (!covers(grant->scope, *asked)) return Reply(refusal("invalid_scope", "a scope that was not granted"));
    if (!words_of(*asked).empty()) scope = joined(words_of(*asked));
  }
  auto resource = narrowed(call, grant->resource);
  if (!resource) return Reply(std::unexpected(resource.error()));
  MUHUR_TRY(auto user, user_of(c, call, *grant));
  if (!user) return Reply(std::unexpected(user.error()));
  Secret dek;
  if (token->wrap) {
    MUHUR_TRY(dek, unwrap_with(secret, Custody::refresh_token, grant->user, *token->wrap));
  }
  std::string successor;
  if (repeated) {
    MUHUR_TRY(const auto same, open_under(secret, token->successor.value_or(Bytes())));
    successor = same.text();
  } else {
    MUHUR_TRY(successor, new_refresh(c, call, *grant, dek));
    MUHUR_TRY(const bool first, use_refresh(c, secret, seal_under(secret, successor), call.now_s));
    if (!first) return fail(Code::internal, "a refresh token changed inside a transaction");
  }
  MUHUR_TRY(auto issued, issue_tokens(c, call,
                                      {.grant = std::move(*grant),
                                       .scope = std::move(scope),
                                       .resource = std::move(*resource),
                                       .dek = std::move(dek),
                                       .refresh = std::move(successor)}));
  issued.user = std::move(*user);
  return Reply(std::move(issued));
}

Result<Reply> by_client(vault::Connection& c, const TokenCall& call) {
  const Client& client = *call.caller.client;
  if (client.auth == ClientAuth::none)
    return Reply(refusal("unauthorized_client", "a client without credentials has nothing to show"));
  auto scopes = check_scopes(client, call.form.value("scope"));
  if (!scopes) return Reply(std::unexpected(scopes.error()));
  for (const auto* users_own : {"openid", "mail", "offline_access"})
    if (has_word(*scopes, users_own)) return Reply(refusal("invalid_scope", "a scope that needs a user"));
  auto resources = check_resources(client, call.form);
  if (!resources) return Reply(std::unexpected(resources.error()));
  Grant grant{.client_id = client.id,
              .scope = joined(*scopes),
              .resource = joined(*resources),
              .ends_s = call.now_s + client.access_token_s,
              .client_ms = client.created_ms};
  MUHUR_TRY(grant.id, insert_grant(c, grant));
  MUHUR_TRY(auto issued,
            issue_tokens(c, call, {.grant = grant, .scope = grant.scope, .resource = grant.resource}));
  return Reply(std::move(issued));
}

Result<Reply> by_device(vault::Connection& c, const TokenCall& call) {
  const auto secret = call.form.value("device_code");
  if (secret.empty()) return Reply(refusal("invalid_request", "device_code is missing"));
  MUHUR_TRY(const auto code, find_device(c, secret));
  const Client& client = *call.caller.client;
  if (!code || code->client_id != client.id || code->state == DeviceState::redeemed)
    return Reply(no_grant("the device code is unknown or used"));
  if (code->ends_s <= call.now_s) return Reply(refusal("expired_token", "the device code is over"));
  if (code->state == DeviceState::denied) return Reply(refusal("access_denied", "the user said no"));
  if (code->state == DeviceState::waiting) {
    const bool hasty = code->polled_s != 0 && call.now_s - code->polled_s < code->wait_s;
    MUHUR_CHECK(note_poll(c, *code, call.now_s, hasty));
    if (hasty) return Reply(refusal("slow_down", "wait longer between requests"));
    return Reply(refusal("authorization_pending", "the user has not decided yet"));
  }
  auto resource = narrowed(call, code->resource);
  if (!resource) return Reply(std::unexpected(resource.error()));
  MUHUR_TRY(const bool first, redeem_device(c, *code));
  if (!first) return Reply(no_grant("the device code is used"));
  MUHUR_TRY(auto dek, device_dek(secret, *code));
  Grant grant{.client_id = client.id,
              .user = code->user,
              .sid = code->sid,
              .scope = code->scope,
              .resource = code->resource,
              .amr = code->amr,
              .auth_time_s = code->auth_time_s,
              .offline = has_word(code->scope, "offline_access"),
              .ends_s = call.now_s + client.access_token_s,
              .epoch = code->epoch,
              .client_ms = client.created_ms};
  MUHUR_TRY(grant.id, insert_grant(c, grant));
  if (!client.backchannel_logout_uri.empty())
    MUHUR_CHECK(note_client(c, grant.sid, client.id, call.now_s + call.lifetimes.session_absolute));
  return begin(c, call, std::move(grant), std::move(*resource), std::move(dek), {});
}

}  // namespace

Result<Ruled<void>> remember(vault::Connection& c, const Caller& caller) {
  for (const auto& seen : caller.seen) {
    MUHUR_TRY(const bool first, Store::remember_once(c, seen.once));
    if (!first) return Ruled<void>(std::unexpected(seen.error));
  }
  return Ruled<void>();
}

Result<Ruled<Issued>> run_grant(vault::Connection& c, const TokenCall& call) {
  const auto type = call.form.value("grant_type");
  if (type.empty()) return Reply(refusal("invalid_request", "grant_type is missing"));
  if (type != "authorization_code" && type != "refresh_token" && type != "client_credentials" &&
      type != kDeviceGrant)
    return Reply(refusal("unsupported_grant_type", "there is no such grant here"));
  if (!has_word(call.caller.client->grant_types, type))
    return Reply(refusal("unauthorized_client", "this client may not use this grant"));
  MUHUR_TRY(const auto fresh, remember(c, call.caller));
  if (!fresh) return Reply(std::unexpected(fresh.error()));
  if (type == "authorization_code") return by_code(c, call);
  if (type == "refresh_token") return by_refresh(c, call);
  if (type == "client_credentials") return by_client(c, call);
  return by_device(c, call);
}

}  // namespace muhur::oidc

// What becomes of tokens: introspection (RFC 7662), revocation (RFC 7009), userinfo (OpenID Connect Core
// §5.3), and IMAP's look at them.
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/unicode.hpp"
#include "oidc/custody.hpp"
#include "oidc/jose.hpp"
#include "oidc/provider_impl.hpp"
#include "oidc/scope.hpp"
#include "oidc/standing.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr std::string_view kBearer = "Bearer ";

// RFC 6750 §3.
std::unexpected<OAuthError> challenge(std::string_view code, std::string_view why, int status,
                                      std::string_view scheme = "Bearer") {
  auto error = refusal(code, why, status);
  error.error().www_authenticate = std::string(scheme) + " error=\"" + std::string(code) + "\"";
  return error;
}

struct Shown {
  std::optional<LiveToken> live;
  std::optional<accounts::User> user;
};

// Whether the grant's client is still there and for its user, who comes back unless it is a client's own.
Result<bool> stands(const Clients& clients, accounts::Users& users, const Grant& grant,
                    std::optional<accounts::User>& user) {
  const auto client = clients.find(grant.client_id);
  if (!client || !is_made_for(grant, *client)) return false;
  if (grant.user == 0) return true;
  MUHUR_TRY(user, standing_user(users, grant.user, grant.epoch));
  return user && is_open_to(*client, groups_of(*user));
}

// An access token that is good now.
Result<Shown> look_up(vault::Connection& c, const Clients& clients, accounts::Users& users,
                      std::string_view token, std::int64_t now_s) {
  Shown shown;
  MUHUR_TRY(shown.live, find_access(c, token, now_s));
  if (!shown.live) return shown;
  MUHUR_TRY(const bool good, stands(clients, users, shown.live->grant, shown.user));
  if (!good) shown.live.reset();
  return shown;
}

// RFC 8707: a token that was asked for by resources is for those alone; at ours it has to name the issuer.
bool is_for_us(const AccessToken& token, std::string_view issuer) {
  return token.resource.empty() || has_word(token.resource, issuer);
}

json::value audience_of(std::string_view resource, std::string_view issuer) {
  const auto words = words_of(resource);
  if (words.empty()) return json::value(issuer);
  if (words.size() == 1) return json::value(words.front());
  json::array list;
  for (const auto& word : words) list.emplace_back(word);
  return list;
}

}  // namespace

net::Task<JsonAnswer> Provider::Impl::introspect(TokenRequest request) {
  const std::int64_t now_s = now();
  if (!request.presented.form) co_return refusal("invalid_request", "no form");
  const std::string token(request.presented.form->value("token"));
  const std::string& header = request.presented.authorization;
  const bool by_bearer = starts_with_ignoring_case(header, kBearer);
  Caller caller;
  if (!by_bearer) {
    auto entered = enter(request);
    if (!entered) co_return std::unexpected(std::move(entered).error());
    caller = std::move(*entered);
    if (caller.client->auth == ClientAuth::none)
      co_return refusal("invalid_client", "client authentication failed", 401);
    if (!caller.seen.empty()) {
      const auto fresh = co_await write([&](vault::Connection& c) { return remember(c, caller); });
      if (!fresh) co_return std::unexpected(failure_of(fresh.error()));
      if (!*fresh) co_return std::unexpected(fresh->error());
    }
  }
  struct Seen {
    bool bearer_good = true, bearer_may = true;
    Shown shown;
    std::optional<std::pair<RefreshToken, Grant>> refresh;
  };
  const auto seen = co_await read([&](vault::Connection& c) -> Result<Seen> {
    Seen s;
    bool may_see_all = caller.client && caller.client->may_introspect;
    if (by_bearer) {
      MUHUR_TRY(const auto own,
                look_up(c, *clients, users, std::string_view(header).substr(kBearer.size()), now_s));
      s.bearer_good = own.live && own.live->token.jkt.empty();
      if (!s.bearer_good) return s;
      const auto client = clients->find(own.live->grant.client_id);
      // Whoever holds a token may look at that one.
      s.bearer_may = std::string_view(header).substr(kBearer.size()) == token ||
                     (client && client->may_introspect) || (own.user && own.user->admin);
      if (!s.bearer_may) return s;
      may_see_all = true;
    }
    const auto hide = [&](const Grant& grant) {
      return !may_see_all && (!caller.client || !is_made_for(grant, *caller.client));
    };
    MUHUR_TRY(s.shown, look_up(c, *clients, users, token, now_s));
    if (s.shown.live) {
      if (hide(s.shown.live->grant)) s.shown.live.reset();
      return s;
    }
    MUHUR_TRY(auto refresh, find_refresh(c, token));
    if (!refresh || refresh->used_s || refresh->ends_s <= now_s) return s;
    MUHUR_TRY(auto grant, find_grant(c, refresh->grant_id, now_s));
    if (!grant || hide(*grant)) return s;
    MUHUR_TRY(const bool good, stands(*clients, users, *grant, s.shown.user));
    if (good) s.refresh.emplace(std::move(*refresh), std::move(*grant));
    return s;
  });
  if (!seen) co_return std::unexpected(failure_of(seen.error()));
  if (!seen->bearer_good) co_return challenge("invalid_token", "the access token is not good", 401);
  if (!seen->bearer_may) co_return challenge("insufficient_scope", "not an administrator's token", 403);
  if (token.empty()) co_return refusal("invalid_request", "token is missing");
  json::object answer{{"active", false}};
  if (!seen->shown.live && !seen->refresh) co_return answer;
  const Grant& grant = seen->refresh ? seen->refresh->second : seen->shown.live->grant;
  answer = {{"active", true},
            {"iss", options.issuer},
            {"client_id", grant.client_id},
            {"sub", grant.user == 0 ? grant.client_id : subjects.of(grant.user)}};
  if (seen->shown.user) answer["username"] = seen->shown.user->address;
  if (grant.user != 0) {
    answer["auth_time"] = grant.auth_time_s;
    answer["sid"] = grant.sid;
    answer["acr"] = kAcr;
  }
  if (seen->refresh) {
    answer["scope"] = grant.scope;
    answer["exp"] = seen->refresh->first.ends_s;
    co_return answer;
  }
  const AccessToken& access = seen->shown.live->token;
  answer["scope"] = access.scope;
  answer["token_type"] = access.jkt.empty() ? "Bearer" : "DPoP";
  answer["iat"] = access.issued_s;
  answer["exp"] = access.ends_s;
  answer["aud"] = audience_of(access.resource, options.issuer);
  if (!access.jkt.empty()) answer["cnf"] = json::object{{"jkt", access.jkt}};
  co_return answer;
}

net::Task<std::expected<void, OAuthError>> Provider::Impl::revoke(TokenRequest request) {
  const auto caller = enter(request);
  if (!caller) co_return std::unexpected(caller.error());
  if (!request.presented.form) co_return refusal("invalid_request", "no form");
  const std::string token(request.presented.form->value("token"));
  if (token.empty()) co_return refusal("invalid_request", "token is missing");
  const std::int64_t now_s = now();
  const auto done = co_await write([&](vault::Connection& c) -> Result<Ruled<void>> {
    MUHUR_TRY(auto fresh, remember(c, *caller));
    if (!fresh) return fresh;
    const auto others = [] {
      return Ruled<void>(refusal("unauthorized_client", "the token is another client's"));
    };
    MUHUR_TRY(const auto access, find_access(c, token, now_s));
    if (access) {
      if (!is_made_for(access->grant, *caller->client)) return others();
      // The token alone: its refresh token lives on.
      MUHUR_CHECK(drop_access(c, token));
      return fresh;
    }
    MUHUR_TRY(const auto refresh, find_refresh(c, token));
    if (!refresh) return fresh;
    MUHUR_TRY(const auto grant, find_grant(c, refresh->grant_id, now_s));
    if (!grant) return fresh;
    if (!is_made_for(*grant, *caller->client)) return others();
    MUHUR_CHECK(revoke_grant(c, grant->id, now_s));
    return fresh;
  });
  if (!done) co_return std::unexpected(failure_of(done.error()));
  co_return *done;
}

net::Task<std::expected<Provider::UserInfo, OAuthError>> Provider::Impl::userinfo(std::string bearer,
                                                                                  bool dpop_scheme,
                                                                                  TokenRequest request,
                                                                                  std::string method) {
  const std::int64_t now_s = now();
  const std::string_view scheme = dpop_scheme ? "DPoP" : "Bearer";
  const auto no_token = [&] {
    return challenge("invalid_token", "the access token is not good", 401, scheme);
  };
  if (bearer.empty()) co_return no_token();
  const auto shown =
      co_await read([&](vault::Connection& c) { return look_up(c, *clients, users, bearer, now_s); });
  if (!shown) co_return std::unexpected(failure_of(shown.error()));
  if (!shown->live || !shown->user) co_return no_token();
  const auto& [access, grant] = *shown->live;
  if (access.jkt.empty() == dpop_scheme || !is_for_us(access, options.issuer)) co_return no_token();
  const auto client = clients->find(grant.client_id);
  if (!client) co_return no_token();
  if (dpop_scheme) {
    const bool nonce = wants_nonce(*client, request);
    const auto proof = dpop.check(request.dpop, method, request.url, now_s, bearer, nonce);
    if (!proof) co_return std::unexpected(proof.error());
    if (proof->jkt != access.jkt) co_return no_token();
    const Once once{"dpop " + proof->jti, proof->expires_s};
    const auto first = co_await write([&](vault::Connection& c) { return Store::remember_once(c, once); });
    if (!first) co_return std::unexpected(failure_of(first.error()));
    if (!*first) co_return challenge("invalid_dpop_proof", "the proof was used before", 401, scheme);
  }
  if (!has_word(access.scope, "openid"))
    co_return challenge("insufficient_scope", "the token is not for openid", 403, scheme);
  UserInfo info;
  info.claims["sub"] = subjects.of(grant.user);
  add_scope_claims(info.claims, *shown->user, access.scope);
  if (client->userinfo_signed_response.empty()) co_return info;
  const auto algorithm = crypto::signing_algorithm(client->userinfo_signed_response);
  const auto key = keys->active(algorithm.value_or(client->id_token_algorithm));
  if (!key) co_return std::unexpected(failure_of(key.error()));
  json::object claims = info.claims;
  claims["iss"] = options.issuer;
  claims["aud"] = client->id;
  info.jwt = sign_jwt(claims, "JWT", key->kid, key->key);
  co_return info;
}

net::Task<Result<TokenInfo>> Provider::Impl::token_info(std::string access_token) {
  struct Wiped {
    std::string& token;
    ~Wiped() { wipe({reinterpret_cast<Byte*>(token.data()), token.size()}); }
  };
  const Wiped afterwards{access_token};
  const std::int64_t now_s = now();
  MUHUR_CO_TRY(const auto shown, co_await read([&](vault::Connection& c) {
                 return look_up(c, *clients, users, access_token, now_s);
               }));
  // A token that is bound to a key needs a proof, which there is no place for.
  if (!shown.live || !shown.live->token.jkt.empty() || !is_for_us(shown.live->token, options.issuer))
    co_return fail(Code::denied, "the access token is not good");
  const auto& [access, grant] = *shown.live;
  TokenInfo info{.user = grant.user,
                 .client_id = grant.client_id,
                 .scope = access.scope,
                 .subject = grant.user == 0 ? grant.client_id : subjects.of(grant.user),
                 .sid = grant.sid,
                 .expires_s = access.ends_s,
                 .auth_time_s = grant.auth_time_s};
  if (access.wrap) {
    MUHUR_CO_TRY(info.dek, unwrap_with(access_token, Custody::access_token, grant.user, *access.wrap));
  }
  co_return info;
}

}  // namespace muhur::oidc

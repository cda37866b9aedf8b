// Tokens: 256 random bits as base64url, or a JWT (RFC 9068). A JWT that carries the mailbox's key has a
// random claim that is stored nowhere, so that the signing key alone cannot make it again.
#include "oidc/token_issue.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/random.hpp"
#include "oidc/custody.hpp"
#include "oidc/jose.hpp"
#include "oidc/request.hpp"
#include "oidc/scope.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

std::string subject_of(const TokenCall& call, const Grant& grant) {
  return grant.user == 0 ? grant.client_id : call.subjects.of(grant.user);
}

json::array words(std::string_view text) {
  json::array list;
  for (const auto& word : words_of(text)) list.emplace_back(word);
  return list;
}

std::string make_jwt(const TokenCall& call, const Issue& issue, std::int64_t ends_s) {
  const Grant& grant = issue.grant;
  json::object claims{{"iss", call.issuer},
                      {"sub", subject_of(call, grant)},
                      {"client_id", grant.client_id},
                      {"iat", call.now_s},
                      {"exp", ends_s},
                      {"jti", random_token(16)}};
  auto audience = words(issue.resource);
  if (audience.empty())
    claims["aud"] = call.issuer;
  else if (audience.size() == 1)
    claims["aud"] = audience.front();
  else
    claims["aud"] = std::move(audience);
  if (!issue.scope.empty()) claims["scope"] = issue.scope;
  if (grant.user != 0) {
    claims["auth_time"] = grant.auth_time_s;
    claims["acr"] = kAcr;
    claims["amr"] = words(grant.amr);
    claims["sid"] = grant.sid;
  }
  if (!call.caller.jkt.empty()) claims["cnf"] = json::object{{"jkt", call.caller.jkt}};
  if (!issue.dek.empty()) claims["mail_key"] = random_token();
  return sign_jwt(claims, "at+jwt", call.key->kid, call.key->key);
}

std::string make_id_token(const TokenCall& call, const Issued& issued) {
  const Grant& grant = issued.grant;
  json::object claims{{"iss", call.issuer},
                      {"sub", subject_of(call, grant)},
                      {"aud", grant.client_id},
                      {"iat", call.now_s},
                      {"exp", call.now_s + call.lifetimes.id_token},
                      {"auth_time", grant.auth_time_s},
                      {"acr", kAcr},
                      {"amr", words(grant.amr)},
                      {"sid", grant.sid},
                      {"at_hash", half_hash(issued.access, call.key->key.algorithm())}};
  if (!issued.nonce.empty()) claims["nonce"] = issued.nonce;
  if (issued.user) add_named_claims(claims, *issued.user, grant.scope, grant.claims, "id_token");
  return sign_jwt(claims, "JWT", call.key->kid, call.key->key);
}

}  // namespace

Result<Issued> issue_tokens(vault::Connection& c, const TokenCall& call, Issue issue) {
  const Client& client = *call.caller.client;
  const std::int64_t ends_s = call.now_s + client.access_token_s;
  // The key of the mailbox goes no further than the scope does.
  if (!has_word(issue.scope, "mail")) issue.dek.wipe();
  const std::string access =
      client.access_token == AccessTokenFormat::jwt ? make_jwt(call, issue, ends_s) : random_token();
  MUHUR_CHECK(
      insert_access(c, access,
                    {.grant_id = issue.grant.id,
                     .scope = issue.scope,
                     .resource = issue.resource,
                     .jkt = call.caller.jkt,
                     .issued_s = call.now_s,
                     .ends_s = ends_s,
                     .wrap = wrap_if_any(access, Custody::access_token, issue.grant.user, issue.dek)}));
  const std::int64_t refresh_ends_s = call.now_s + client.refresh_token_s;
  MUHUR_CHECK(keep_grant(c, issue.grant, issue.refresh.empty() ? ends_s : std::max(ends_s, refresh_ends_s)));
  return Issued{.grant = std::move(issue.grant),
                .access = access,
                .refresh = std::move(issue.refresh),
                .scope = std::move(issue.scope),
                .expires_in_s = client.access_token_s};
}

json::object token_answer(const TokenCall& call, const Issued& issued) {
  json::object answer{{"access_token", issued.access},
                      {"token_type", call.caller.jkt.empty() ? "Bearer" : "DPoP"},
                      {"expires_in", issued.expires_in_s},
                      {"scope", issued.scope}};
  if (!issued.refresh.empty()) answer["refresh_token"] = issued.refresh;
  if (issued.grant.user != 0 && has_word(issued.scope, "openid"))
    answer["id_token"] = make_id_token(call, issued);
  return answer;
}

}  // namespace muhur::oidc

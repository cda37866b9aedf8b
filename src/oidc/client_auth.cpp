#include "oidc/client_auth.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "base/encoding.hpp"
#include "base/log.hpp"
#include "base/unicode.hpp"
#include "oidc/client_document.hpp"
#include "oidc/jose.hpp"
#include "oidc/json.hpp"

namespace muhur::oidc {
namespace {

using Outcome = std::expected<AuthenticatedClient, OAuthError>;

constexpr std::string_view kAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
constexpr long kLeeway = 60;
constexpr std::int64_t kLongestAssertion = 3'600;  // its jti has to be remembered for that long
constexpr std::size_t kMaxJti = 256;

// One text for all: which clients there are is nobody's business.
std::unexpected<OAuthError> refuse(bool basic_tried) {
  OAuthError error{.code = "invalid_client", .description = "client authentication failed", .status = 401};
  if (basic_tried) error.www_authenticate = R"(Basic realm="oauth2", charset="UTF-8")";
  return std::unexpected(std::move(error));
}

std::unexpected<OAuthError> malformed(std::string_view why) {
  return std::unexpected(OAuthError{.code = "invalid_request", .description = std::string(why)});
}

Outcome with_secret(const Clients& clients, std::string_view id, std::string_view secret, ClientAuth method) {
  const bool basic = method == ClientAuth::basic;
  const auto client = clients.find(id);
  const Client nobody;
  const bool right = clients.secret_matches(client ? *client : nobody, secret);
  if (client && right && client->auth != method)  // only who has the secret gets it written down
    log::warn("oidc", "a client used another method than its own",
              {{"client", client->id}, {"its own", name_of(client->auth)}, {"used", name_of(method)}});
  if (!client || client->auth != method || !right) return refuse(basic);
  return AuthenticatedClient{client, "", 0};
}

// RFC 6749 §2.3.1: both halves are form-encoded before they are joined.
Outcome by_basic(const Clients& clients, std::string_view credentials, std::string_view form_id) {
  const auto decoded = from_base64(credentials);
  if (!decoded) return refuse(true);
  const std::string_view pair = as_text(*decoded);
  const auto colon = pair.find(':');
  if (colon == pair.npos) return refuse(true);
  const auto id = http::percent_decode(pair.substr(0, colon), true);
  const auto secret = http::percent_decode(pair.substr(colon + 1), true);
  if (!id || !secret) return refuse(true);
  if (!form_id.empty() && form_id != *id)
    return malformed("client_id is not that of the Authorization header");
  return with_secret(clients, *id, *secret, ClientAuth::basic);
}

// FAPI 2.0 Security Profile §5.3.2.1, §5.4: an assertion for another server cannot be meant for this one.
bool follows_fapi2(const Client& client) { return client.require_par && client.require_dpop; }

constexpr crypto::SigningAlgorithm kFapi2[] = {
    crypto::SigningAlgorithm::es256, crypto::SigningAlgorithm::eddsa, crypto::SigningAlgorithm::ps256};

bool is_for(const boost::json::object& payload, std::span<const std::string> audiences) {
  const auto ours = [&](const boost::json::value& value) {
    return value.is_string() && !value.get_string().empty() &&
           std::ranges::find(audiences, std::string_view(value.get_string())) != audiences.end();
  };
  const auto* aud = payload.if_contains("aud");
  return aud && (ours(*aud) || (aud->is_array() && std::ranges::any_of(aud->get_array(), ours)));
}

// RFC 7523 §3. Which client it is comes from the token before anything is verified; it says only whose keys
// are tried.
Outcome by_assertion(const Clients& clients, std::string_view assertion, std::string_view form_id,
                     std::span<const std::string> audiences, std::int64_t now_s) {
  const auto jws = parse_jws(assertion);
  if (!jws) return refuse(false);
  const auto id = text_of(jws->payload, "sub");
  const auto jti = text_of(jws->payload, "jti");
  if (!id || text_of(jws->payload, "iss") != id || (!form_id.empty() && form_id != *id)) return refuse(false);
  if (!jti || jti->empty() || jti->size() > kMaxJti) return refuse(false);
  const auto client = clients.find(*id);
  if (!client || client->auth != ClientAuth::private_key_jwt) return refuse(false);
  const auto keys = JwkSet::parse(client->jwks);
  const bool strict = follows_fapi2(*client);
  const std::span<const crypto::SigningAlgorithm> algorithms = kAccepted;
  if (!keys || !keys->verify(*jws, strict ? kFapi2 : algorithms)) return refuse(false);
  if (strict && text_of(jws->payload, "aud") != audiences.front()) return refuse(false);
  if (!is_for(jws->payload, audiences) || !check_times(jws->payload, now_s, kLeeway)) return refuse(false);
  const auto expires = time_of(jws->payload, "exp");
  if (!expires || *expires > now_s + kLongestAssertion + kLeeway) return refuse(false);
  return AuthenticatedClient{client, client->id + ' ' + std::string(*jti), *expires + kLeeway};
}

Outcome by_name(const Clients& clients, std::string_view id) {
  const auto client = clients.find(id);
  if (!client || client->auth != ClientAuth::none) return refuse(false);
  return AuthenticatedClient{client, "", 0};
}

}  // namespace

Outcome authenticate_client(const Clients& clients, const Presented& presented,
                            std::span<const std::string> audiences, std::int64_t now_s) {
  static const http::Form kNone;
  const http::Form& form = presented.form ? *presented.form : kNone;
  for (const auto* name : {"client_id", "client_secret", "client_assertion", "client_assertion_type"})
    if (form.all(name).size() > 1) return malformed(std::string(name) + " is there twice");
  const auto id = form.value("client_id");
  const auto secret = form.value("client_secret");
  const auto assertion = form.value("client_assertion");
  const bool header = !presented.authorization.empty();
  if (int{header} + int{!secret.empty()} + int{!assertion.empty()} > 1)
    return malformed("more than one way of client authentication");
  if (header) {
    constexpr std::string_view kBasic = "Basic ";
    if (!starts_with_ignoring_case(presented.authorization, kBasic)) return refuse(true);
    return by_basic(clients, std::string_view(presented.authorization).substr(kBasic.size()), id);
  }
  if (!assertion.empty()) {
    if (form.value("client_assertion_type") != kAssertionType)
      return malformed("an unknown client_assertion_type");
    return by_assertion(clients, assertion, id, audiences, now_s);
  }
  if (!secret.empty()) return with_secret(clients, id, secret, ClientAuth::post);
  return by_name(clients, id);
}

}  // namespace muhur::oidc

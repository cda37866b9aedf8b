#include "oidc/discovery.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <iterator>

namespace muhur::oidc {
namespace json = boost::json;
namespace {

json::array list(const auto& values) { return json::array(std::begin(values), std::end(values)); }

constexpr std::string_view kSigning[] = {"ES256", "EdDSA", "RS256"};
constexpr std::string_view kVerifying[] = {"ES256", "Ed25519", "EdDSA", "RS256", "PS256"};
constexpr std::string_view kClientAuth[] = {"client_secret_basic", "client_secret_post", "private_key_jwt",
                                            "none"};
// Where a client that cannot keep a secret has nothing to ask for.
constexpr std::string_view kConfidentialAuth[] = {"client_secret_basic", "client_secret_post",
                                                  "private_key_jwt"};
constexpr std::string_view kClaims[] = {"sub",
                                        "iss",
                                        "aud",
                                        "exp",
                                        "iat",
                                        "auth_time",
                                        "nonce",
                                        "acr",
                                        "amr",
                                        "sid",
                                        "at_hash",
                                        "name",
                                        "preferred_username",
                                        "email",
                                        "email_verified",
                                        "groups"};

}  // namespace

std::string discovery_document(std::string_view issuer, bool registration) {
  const auto at = [&](std::string_view path) { return std::string(issuer) + std::string(path); };
  json::object d;
  d["issuer"] = issuer;
  d["authorization_endpoint"] = at(path::kAuthorize);
  d["token_endpoint"] = at(path::kToken);
  d["userinfo_endpoint"] = at(path::kUserinfo);
  d["jwks_uri"] = at(path::kJwks);
  d["introspection_endpoint"] = at(path::kIntrospect);
  d["revocation_endpoint"] = at(path::kRevoke);
  d["pushed_authorization_request_endpoint"] = at(path::kPar);
  d["device_authorization_endpoint"] = at(path::kDevice);
  d["end_session_endpoint"] = at(path::kLogout);
  if (registration) d["registration_endpoint"] = at(path::kRegister);

  d["scopes_supported"] = list(kScopes);
  d["response_types_supported"] = json::array({"code"});
  d["response_modes_supported"] = list(kResponseModes);
  d["grant_types_supported"] = list(kGrantTypes);
  d["subject_types_supported"] = json::array({"public"});
  d["code_challenge_methods_supported"] = json::array({"S256"});
  d["prompt_values_supported"] = list(kPrompts);
  d["claim_types_supported"] = json::array({"normal"});
  d["claims_supported"] = list(kClaims);
  d["claims_parameter_supported"] = true;
  d["ui_locales_supported"] = list(kUiLocales);

  d["id_token_signing_alg_values_supported"] = list(kSigning);
  d["userinfo_signing_alg_values_supported"] = list(kSigning);
  d["token_endpoint_auth_methods_supported"] = list(kClientAuth);
  d["token_endpoint_auth_signing_alg_values_supported"] = list(kVerifying);
  d["introspection_endpoint_auth_methods_supported"] = list(kConfidentialAuth);
  d["introspection_endpoint_auth_signing_alg_values_supported"] = list(kVerifying);
  d["revocation_endpoint_auth_methods_supported"] = list(kClientAuth);
  d["revocation_endpoint_auth_signing_alg_values_supported"] = list(kVerifying);
  d["dpop_signing_alg_values_supported"] = list(kVerifying);

  d["authorization_response_iss_parameter_supported"] = true;
  d["require_pushed_authorization_requests"] = false;
  d["request_parameter_supported"] = false;
  // That default would be true. The request_uri of a pushed request is another matter (RFC 9126).
  d["request_uri_parameter_supported"] = false;
  d["backchannel_logout_supported"] = true;
  d["backchannel_logout_session_supported"] = true;
  return json::serialize(d);
}

}  // namespace muhur::oidc

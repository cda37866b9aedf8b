#pragma once
// What the provider says of itself: OpenID Connect Discovery 1.0 and RFC 8414, one document for both. It
// names what is done and nothing else; the same lists are what requests are checked against.

#include <string>
#include <string_view>

namespace muhur::oidc {

// Endpoints, under the issuer.
namespace path {
inline constexpr std::string_view kAuthorize = "/oauth2/authorize";
inline constexpr std::string_view kToken = "/oauth2/token";
inline constexpr std::string_view kIntrospect = "/oauth2/introspect";
inline constexpr std::string_view kRevoke = "/oauth2/revoke";
inline constexpr std::string_view kUserinfo = "/oauth2/userinfo";
inline constexpr std::string_view kJwks = "/oauth2/jwks";
inline constexpr std::string_view kPar = "/oauth2/par";
inline constexpr std::string_view kDevice = "/oauth2/device_authorization";
inline constexpr std::string_view kRegister = "/oauth2/register";
inline constexpr std::string_view kLogout = "/oauth2/logout";
}  // namespace path

inline constexpr std::string_view kScopes[] = {"openid", "profile",        "email",
                                               "groups", "offline_access", "mail"};
inline constexpr std::string_view kPrompts[] = {"none", "login", "consent", "select_account"};
inline constexpr std::string_view kResponseModes[] = {"query", "form_post"};
inline constexpr std::string_view kGrantTypes[] = {"authorization_code", "refresh_token",
                                                   "client_credentials",
                                                   "urn:ietf:params:oauth:grant-type:device_code"};
inline constexpr std::string_view kUiLocales[] = {"en", "tr", "ko"};

// `issuer` without a final slash. `registration`: whether clients may register themselves.
std::string discovery_document(std::string_view issuer, bool registration);

}  // namespace muhur::oidc

// What a client's registration must look like, whoever wrote it: an administrator, a template or the client
// itself (RFC 7591).
#include <algorithm>
#include <array>

#include "base/unicode.hpp"
#include "oidc/clients.hpp"
#include "oidc/jose.hpp"
#include "oidc/uri.hpp"

namespace muhur::oidc {
namespace {

constexpr std::size_t kMaxList = 50;
constexpr std::size_t kMaxName = 200;
constexpr std::size_t kMaxId = 128;
constexpr std::size_t kMaxScope = 64;
constexpr std::int64_t kDay = 86'400;

constexpr std::string_view kGrants[] = {"authorization_code", "refresh_token", "client_credentials",
                                        "urn:ietf:params:oauth:grant-type:device_code"};

std::unexpected<Error> bad(std::string_view member, std::string_view why) {
  return fail(Code::invalid, std::string(member) + ": " + std::string(why));
}

bool has(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, value) != list.end();
}

// What may stand in a Basic header, a URL and a log line without any encoding.
bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxId && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~").contains(c);
  });
}

// RFC 6749 §3.3: printable ASCII but '"' and '\'.
bool is_scope(std::string_view scope) {
  return !scope.empty() && scope.size() <= kMaxScope &&
         std::ranges::all_of(scope, [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; });
}

bool is_shown_text(std::string_view text) {
  return is_utf8(text) &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; });
}

Result<void> check_uris(const Client& client) {
  for (const auto& uri : client.redirect_uris)
    if (const auto checked = check_redirect_uri(uri); !checked)
      return bad("redirect_uris", checked.error().text());
  for (const auto& uri : client.post_logout_redirect_uris)
    if (const auto checked = check_redirect_uri(uri); !checked)
      return bad("post_logout_redirect_uris", checked.error().text());
  const std::pair<std::string_view, const std::string*> pages[] = {
      {"backchannel_logout_uri", &client.backchannel_logout_uri},
      {"logo_uri", &client.logo_uri},
      {"policy_uri", &client.policy_uri},
      {"tos_uri", &client.tos_uri},
      {"client_uri", &client.client_uri}};
  for (const auto& [name, uri] : pages)
    if (!uri->empty())
      if (const auto checked = check_web_uri(*uri); !checked) return bad(name, checked.error().text());
  for (const auto& resource : client.resources)
    if (!split_uri(resource)) return bad("resources", "a resource is an absolute URI without fragment");
  return {};
}

Result<void> check_grants(const Client& client) {
  for (const auto& grant : client.grant_types)
    if (std::ranges::find(kGrants, grant) == std::end(kGrants))
      return bad("grant_types", "no such grant: " + grant);
  const bool codes = has(client.grant_types, kGrants[0]);
  if (codes && client.redirect_uris.empty()) return bad("redirect_uris", "authorization_code needs one");
  if (has(client.grant_types, kGrants[1]) && !codes && !has(client.grant_types, kGrants[3]))
    return bad("grant_types", "refresh_token goes with authorization_code or the device flow");
  if (has(client.grant_types, kGrants[2]) && client.auth == ClientAuth::none)
    return bad("grant_types", "a public client has no credentials to be granted anything for");
  return {};
}

Result<void> check_auth(const Client& client) {
  if (client.auth == ClientAuth::none) {
    if (has(client.grant_types, kGrants[0]) && !client.require_pkce)
      return bad("require_pkce", "a public client cannot do without PKCE");
    if (client.may_introspect) return bad("may_introspect", "a public client may not look at others' tokens");
  }
  if (!client.jwks.empty()) {
    const auto set = JwkSet::parse(client.jwks);
    if (!set) return bad("jwks", set.error().text());
    if (set->empty()) return bad("jwks", "there is no usable key in it");
  } else if (client.auth == ClientAuth::private_key_jwt) {
    return bad("jwks", "private_key_jwt needs the client's public keys");
  }
  return {};
}

Result<void> check_values(const Client& client) {
  const std::pair<std::string_view, const std::vector<std::string>*> lists[] = {
      {"redirect_uris", &client.redirect_uris},
      {"post_logout_redirect_uris", &client.post_logout_redirect_uris},
      {"grant_types", &client.grant_types},
      {"scopes", &client.scopes},
      {"resources", &client.resources},
      {"groups", &client.groups}};
  for (const auto& [name, list] : lists)
    if (list->size() > kMaxList) return bad(name, "more than 50");
  for (const auto& scope : client.scopes)
    if (!is_scope(scope)) return bad("scopes", "not a scope");
  for (const auto& group : client.groups)
    if (group.empty() || group.size() > kMaxName || !is_shown_text(group))
      return bad("groups", "not a group's name");
  if (client.id_token_algorithm == crypto::SigningAlgorithm::ps256)
    return bad("id_token_algorithm", "one of ES256, EdDSA, RS256");
  if (const auto& name = client.userinfo_signed_response;
      !name.empty() && name != "ES256" && name != "EdDSA" && name != "RS256")
    return bad("userinfo_signed_response", "one of ES256, EdDSA, RS256, or empty");
  if (client.subject_type != "public") return bad("subject_type", "only `public` is done here");
  if (client.access_token_s < 30 || client.access_token_s > kDay)
    return bad("access_token_s", "30 seconds to a day");
  if (client.refresh_token_s < 60 || client.refresh_token_s > 400 * kDay)
    return bad("refresh_token_s", "a minute to 400 days");
  return {};
}

}  // namespace

Result<void> check_client(const Client& client) {
  if (!is_id(client.id)) return bad("id", "1 to 128 letters, digits and -._~");
  if (client.name.empty() || client.name.size() > kMaxName || !is_shown_text(client.name))
    return bad("name", "1 to 200 bytes of text without control characters");
  MUHUR_CHECK(check_values(client));
  MUHUR_CHECK(check_uris(client));
  MUHUR_CHECK(check_grants(client));
  return check_auth(client);
}

}  // namespace muhur::oidc

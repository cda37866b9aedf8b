#include "oidc/client_templates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "oidc/discovery.hpp"
#include "oidc/uri.hpp"

namespace muhur::oidc {
namespace {

constexpr ClientTemplate kTemplates[] = {{"roundcube", "Roundcube"},
                                         {"grafana", "Grafana"},
                                         {"nextcloud", "Nextcloud"},
                                         {"oauth2-proxy", "oauth2-proxy"},
                                         {"fapi2", "FAPI 2.0 client"}};

const ClientTemplate* find(std::string_view name) {
  const auto at = std::ranges::find(kTemplates, name, &ClientTemplate::name);
  return at == std::end(kTemplates) ? nullptr : at;
}

std::string without_slash(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return std::string(url);
}

// Roundcube 1.6 does neither PKCE nor discovery, and posts its secret. It signs in to IMAP with the access
// token, so it needs mail, and refresh tokens to go on reading.
void roundcube(Client& client, const std::string& base) {
  client.auth = ClientAuth::post;
  client.require_pkce = false;
  client.redirect_uris = {base + "/index.php/login/oauth"};
  client.post_logout_redirect_uris = {base + "/"};
  client.scopes = {"openid", "profile", "email", "offline_access", "mail"};
}

void grafana(Client& client, const std::string& base) {
  client.redirect_uris = {base + "/login/generic_oauth"};
  client.post_logout_redirect_uris = {base + "/login"};
  client.scopes = {"openid", "profile", "email", "groups", "offline_access"};
}

// The app user_oidc, with and without pretty URLs. It posts its secret.
void nextcloud(Client& client, const std::string& base) {
  client.auth = ClientAuth::post;
  client.redirect_uris = {base + "/apps/user_oidc/code", base + "/index.php/apps/user_oidc/code"};
  client.post_logout_redirect_uris = {base + "/", base};
  client.backchannel_logout_uri = base + "/apps/user_oidc/backchannel-logout/muhur";
  client.scopes = {"openid", "profile", "email", "groups"};
  client.grant_types = {"authorization_code"};
  client.id_token_algorithm = crypto::SigningAlgorithm::rs256;
}

void oauth2_proxy(Client& client, const std::string& base) {
  client.redirect_uris = {base + "/oauth2/callback"};
  client.post_logout_redirect_uris = {base + "/"};
  client.scopes = {"openid", "profile", "email", "groups", "offline_access"};
}

// What the FAPI 2.0 Security Profile asks of a client, for software that can do it: requests pushed, tokens
// bound to a key, proofs with nonces. Its keys (--jwks-file) make it private_key_jwt as well.
void fapi2(Client& client, const std::string& base) {
  client.redirect_uris = {base + "/callback"};
  client.post_logout_redirect_uris = {base + "/"};
  client.require_par = true;
  client.require_dpop = true;
  client.require_dpop_nonce = true;
  client.access_token_s = 300;
}

}  // namespace

std::span<const ClientTemplate> client_templates() { return kTemplates; }

Result<Client> client_from_template(std::string_view name, std::string id, std::string_view base_url) {
  const ClientTemplate* known = find(name);
  if (!known) {
    std::string names;
    for (const auto& one : kTemplates) names += (names.empty() ? "" : ", ") + std::string(one.name);
    return fail(Code::invalid, fmt::format("there is no template {}", name), "There are: " + names);
  }
  if (const auto checked = check_web_uri(base_url); !checked || base_url.contains('?'))
    return fail(Code::invalid, fmt::format("{} cannot be where {} runs", base_url, known->title),
                "Give its address as people open it, such as https://app.example.org");
  Client client;
  client.id = std::move(id);
  client.name = known->title;
  client.client_uri = base_url;
  const std::string base = without_slash(base_url);
  if (name == "roundcube") roundcube(client, base);
  if (name == "grafana") grafana(client, base);
  if (name == "nextcloud") nextcloud(client, base);
  if (name == "oauth2-proxy") oauth2_proxy(client, base);
  if (name == "fapi2") fapi2(client, base);
  MUHUR_CHECK(check_client(client));
  return client;
}

std::string instructions(std::string_view name, const Client& client, std::string_view base_url,
                         std::string_view issuer, std::string_view secret) {
  std::string scopes;
  for (const auto& scope : client.scopes) scopes += (scopes.empty() ? "" : " ") + scope;
  const auto at = [&](std::string_view path) { return std::string(issuer) + std::string(path); };
  if (name == "roundcube")
    return fmt::format(
        "In config/config.inc.php:\n\n"
        "$config['oauth_provider'] = 'generic';\n"
        "$config['oauth_provider_name'] = 'Muhur';\n"
        "$config['oauth_client_id'] = '{}';\n"
        "$config['oauth_client_secret'] = '{}';\n"
        "$config['oauth_auth_uri'] = '{}';\n"
        "$config['oauth_token_uri'] = '{}';\n"
        "$config['oauth_identity_uri'] = '{}';\n"
        "$config['oauth_scope'] = '{}';\n"
        "$config['oauth_identity_fields'] = ['email'];\n",
        client.id, secret, at(path::kAuthorize), at(path::kToken), at(path::kUserinfo), scopes);
  if (name == "grafana")
    return fmt::format(
        "In grafana.ini:\n\n"
        "[server]\n"
        "root_url = {}\n"
        "[auth.generic_oauth]\n"
        "enabled = true\n"
        "name = Muhur\n"
        "client_id = {}\n"
        "client_secret = {}\n"
        "auth_style = InHeader\n"
        "use_pkce = true\n"
        "use_refresh_token = true\n"
        "scopes = {}\n"
        "auth_url = {}\n"
        "token_url = {}\n"
        "api_url = {}\n"
        "login_attribute_path = preferred_username\n"
        "groups_attribute_path = groups\n",
        base_url, client.id, secret, scopes, at(path::kAuthorize), at(path::kToken), at(path::kUserinfo));
  if (name == "nextcloud")
    return fmt::format(
        "With the app user_oidc:\n\n"
        "occ user_oidc:provider muhur --clientid={} --clientsecret={} \\\n"
        "  --discoveryuri={}/.well-known/openid-configuration \\\n"
        "  --scope='{}' --mapping-uid=sub --mapping-display-name=name --mapping-email=email\n",
        client.id, secret, issuer, scopes);
  if (name == "fapi2")
    return fmt::format(
        "Discovery:      {}/.well-known/openid-configuration\n"
        "client_id:      {}\n"
        "{}"
        "redirect_uri:   {}\n"
        "scope:          {}\n"
        "Requests are pushed (RFC 9126) with PKCE (S256); tokens are bound by DPoP (RFC 9449), whose\n"
        "proofs carry the nonce of the last answer's DPoP-Nonce header.\n",
        issuer, client.id, secret.empty() ? std::string() : fmt::format("client_secret:  {}\n", secret),
        client.redirect_uris.front(), scopes);
  return fmt::format(
      "provider = \"oidc\"\n"
      "oidc_issuer_url = \"{}\"\n"
      "client_id = \"{}\"\n"
      "client_secret = \"{}\"\n"
      "redirect_url = \"{}\"\n"
      "scope = \"{}\"\n"
      "code_challenge_method = \"S256\"\n"
      "oidc_groups_claim = \"groups\"\n",
      issuer, client.id, secret, client.redirect_uris.front(), scopes);
}

}  // namespace muhur::oidc

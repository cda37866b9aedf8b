// RFC 7591 metadata as a client's policy, and back.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "oidc/discovery.hpp"
#include "oidc/json.hpp"
#include "oidc/registration.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

// What clients that registered themselves may ask for.
constexpr std::string_view kOpenScopes[] = {"openid", "profile", "email", "groups", "offline_access"};
// Each names a document that we would have to fetch, or a rule that would go unheeded.
constexpr std::string_view kRefused[] = {"jwks_uri",
                                         "sector_identifier_uri",
                                         "request_uris",
                                         "software_statement",
                                         "id_token_encrypted_response_alg",
                                         "userinfo_encrypted_response_alg",
                                         "request_object_signing_alg",
                                         "request_object_encryption_alg",
                                         "frontchannel_logout_uri",
                                         "tls_client_certificate_bound_access_tokens"};

struct Metadata {
  const json::object& in;
  std::string wrong;  // the first member of a wrong kind

  std::string text(std::string_view name, std::string_view otherwise = {}) {
    if (!in.contains(name)) return std::string(otherwise);
    const auto value = text_of(in, name);
    if (!value && wrong.empty()) wrong = name;
    return std::string(value.value_or(""));
  }
  bool flag(std::string_view name, bool otherwise) {
    const auto* value = in.if_contains(name);
    if (!value) return otherwise;
    if (!value->is_bool() && wrong.empty()) wrong = name;
    return value->is_bool() && value->get_bool();
  }
  std::vector<std::string> list(std::string_view name, std::vector<std::string> otherwise = {}) {
    const auto* value = in.if_contains(name);
    if (!value) return otherwise;
    std::vector<std::string> out;
    if (value->is_array()) {
      for (const auto& item : value->get_array())
        if (item.is_string()) out.emplace_back(item.get_string());
      if (out.size() == value->get_array().size()) return out;
    }
    if (wrong.empty()) wrong = name;
    return {};
  }
};

std::unexpected<OAuthError> refuse(std::string description,
                                   std::string_view code = "invalid_client_metadata") {
  // Members of the client's own may hold anything, and a description is ASCII.
  std::ranges::replace_if(
      description, [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; }, '?');
  return std::unexpected(OAuthError{.code = std::string(code), .description = std::move(description)});
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const auto& word : list) out += (out.empty() ? "" : " ") + word;
  return out;
}

void read_uris(Metadata& m, Client& client) {
  client.redirect_uris = m.list("redirect_uris");
  client.post_logout_redirect_uris = m.list("post_logout_redirect_uris");
  client.backchannel_logout_uri = m.text("backchannel_logout_uri");
  client.backchannel_session_required = m.flag("backchannel_logout_session_required", false);
  client.logo_uri = m.text("logo_uri");
  client.policy_uri = m.text("policy_uri");
  client.tos_uri = m.text("tos_uri");
  client.client_uri = m.text("client_uri");
}

}  // namespace

std::expected<Client, OAuthError> client_from_metadata(const json::object& metadata, std::string id) {
  for (const auto name : kRefused)
    if (metadata.contains(name)) return refuse(std::string(name) + " is not supported here");
  Metadata m{metadata, {}};
  Client client;
  client.id = std::move(id);
  client.dynamic = true;
  client.name = m.text("client_name", client.id);
  read_uris(m, client);
  const auto auth = client_auth(m.text("token_endpoint_auth_method", "client_secret_basic"));
  if (!auth) return refuse("an unknown token_endpoint_auth_method");
  client.auth = *auth;
  client.grant_types = m.list("grant_types", {"authorization_code"});
  for (const auto& type : m.list("response_types", {"code"}))
    if (type != "code") return refuse("the only response_type is code");
  client.scopes = words(m.text("scope", "openid profile email offline_access"));
  for (const auto& scope : client.scopes)
    if (std::ranges::find(kOpenScopes, scope) == std::end(kOpenScopes))
      return refuse("a scope that clients cannot give themselves: " + scope);
  const auto signing = crypto::signing_algorithm(m.text("id_token_signed_response_alg", "ES256"));
  if (!signing) return refuse("an unknown id_token_signed_response_alg");
  client.id_token_algorithm = *signing;
  client.userinfo_signed_response = m.text("userinfo_signed_response_alg");
  client.subject_type = m.text("subject_type", "public");
  client.require_par = m.flag("require_pushed_authorization_requests", false);
  client.require_dpop = m.flag("dpop_bound_access_tokens", false);
  if (const auto* jwks = metadata.if_contains("jwks"))
    jwks->is_object() ? void(client.jwks = json::serialize(*jwks)) : void(m.wrong = "jwks");
  if (!m.wrong.empty()) return refuse(m.wrong + " has a value of a wrong kind");
  // The server posts there by itself, so not to its own machine at a stranger's word.
  if (!client.backchannel_logout_uri.empty() && !client.backchannel_logout_uri.starts_with("https://"))
    return refuse("backchannel_logout_uri has to be https");
  if (const auto checked = check_client(client); !checked)
    return refuse(checked.error().what, checked.error().what.starts_with("redirect_uris")
                                            ? "invalid_redirect_uri"
                                            : "invalid_client_metadata");
  return client;
}

json::object metadata_of(const Client& client) {
  const auto list = [](const std::vector<std::string>& values) {
    return json::array(values.begin(), values.end());
  };
  json::object m{{"client_id", client.id},
                 {"client_id_issued_at", client.created_ms / 1000},
                 {"client_name", client.name},
                 {"token_endpoint_auth_method", name_of(client.auth)},
                 {"redirect_uris", list(client.redirect_uris)},
                 {"grant_types", list(client.grant_types)},
                 {"response_types", json::array({"code"})},
                 {"scope", joined(client.scopes)},
                 {"id_token_signed_response_alg", crypto::name_of(client.id_token_algorithm)},
                 {"subject_type", client.subject_type},
                 {"require_pushed_authorization_requests", client.require_par},
                 {"dpop_bound_access_tokens", client.require_dpop},
                 {"backchannel_logout_session_required", client.backchannel_session_required}};
  if (!client.post_logout_redirect_uris.empty())
    m["post_logout_redirect_uris"] = list(client.post_logout_redirect_uris);
  const std::pair<std::string_view, const std::string*> texts[] = {
      {"backchannel_logout_uri", &client.backchannel_logout_uri},
      {"userinfo_signed_response_alg", &client.userinfo_signed_response},
      {"logo_uri", &client.logo_uri},
      {"policy_uri", &client.policy_uri},
      {"tos_uri", &client.tos_uri},
      {"client_uri", &client.client_uri}};
  for (const auto& [name, text] : texts)
    if (!text->empty()) m[name] = *text;
  if (!client.jwks.empty())
    if (auto jwks = parse_object(client.jwks)) m["jwks"] = std::move(*jwks);
  return m;
}

}  // namespace muhur::oidc

#include "oidc/request.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <iterator>

#include "base/encoding.hpp"
#include "oidc/discovery.hpp"
#include "oidc/json.hpp"
#include "oidc/pkce.hpp"
#include "oidc/scope.hpp"

namespace muhur::oidc {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxNonce = 512;
constexpr std::size_t kMaxState = 4096;
constexpr std::size_t kMaxClaims = 4096;
constexpr std::size_t kMaxHint = 320;

// A claim that was asked for by name, and the scope that stands for it.
constexpr std::pair<std::string_view, std::string_view> kClaimScopes[] = {{"name", "profile"},
                                                                          {"preferred_username", "profile"},
                                                                          {"email", "email"},
                                                                          {"email_verified", "email"},
                                                                          {"groups", "groups"}};

std::unexpected<OAuthError> bad(std::string_view why) { return refusal("invalid_request", why); }

bool is_known_scope(std::string_view scope) { return std::ranges::find(kScopes, scope) != std::end(kScopes); }

std::optional<std::int64_t> seconds_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

const json::object* member(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value ? value->if_object() : nullptr;
}

bool names_our_acr(const json::object& acr) {
  const auto ours = [](const json::value& v) { return v.is_string() && v.get_string() == kAcr; };
  if (const auto* value = acr.if_contains("value")) return ours(*value);
  const auto* values = acr.if_contains("values");
  return !values || (values->is_array() && std::ranges::any_of(values->get_array(), ours));
}

bool is_essential(const json::object& claim) {
  const auto* essential = claim.if_contains("essential");
  return essential && essential->is_bool() && essential->get_bool();
}

Ruled<void> read_claims(AuthorizationRequest& request) {
  if (request.claims.empty()) return {};
  if (request.claims.size() > kMaxClaims) return bad("claims is too long");
  const auto claims = parse_object(request.claims);
  if (!claims) return bad("claims is not a JSON object");
  for (const auto* part : {"userinfo", "id_token"}) {
    const auto* asked = member(*claims, part);
    if (!asked) continue;
    for (const auto& [name, scope] : kClaimScopes)
      if (asked->contains(name) && has_word(request.client->scopes, scope) &&
          !has_word(request.scopes, scope))
        request.scopes.emplace_back(scope);  // so that the user is asked for it
    if (const auto* sub = member(*asked, "sub"))
      if (const auto value = text_of(*sub, "value")) request.wanted_subject = *value;
  }
  if (const auto* id_token = member(*claims, "id_token"))
    if (const auto* acr = member(*id_token, "acr"))
      request.impossible_acr = is_essential(*acr) && !names_our_acr(*acr);
  return {};
}

Ruled<void> read_prompts(AuthorizationRequest& request, std::string_view text) {
  request.prompts = words_of(text);
  for (const auto& prompt : request.prompts)
    if (std::ranges::find(kPrompts, prompt) == std::end(kPrompts)) return bad("an unknown prompt");
  if (request.prompts_for("none") && request.prompts.size() > 1) return bad("prompt none stands alone");
  return {};
}

Ruled<void> check_shape(const Client& client, const http::Form& form, bool pushed) {
  for (const auto& [name, value] : form.fields())
    if (name != "resource" && form.all(name).size() > 1) return bad("a parameter is there twice");
  if (form.has("request")) return refusal("request_not_supported", "request objects are not taken");
  if (form.has("request_uri"))
    return refusal("request_uri_not_supported", "only a request_uri that was pushed here is taken");
  if (form.has("registration")) return refusal("registration_not_supported", "register the client first");
  if (form.value("response_type").empty()) return bad("response_type is missing");
  if (form.value("response_type") != "code")
    return refusal("unsupported_response_type", "the only response_type is code");
  if (const auto mode = form.value("response_mode");
      !mode.empty() && std::ranges::find(kResponseModes, mode) == std::end(kResponseModes))
    return bad("response_mode must be query or form_post");
  if (!has_word(client.grant_types, "authorization_code"))
    return refusal("unauthorized_client", "this client may not use the authorization code grant");
  if (client.require_par && !pushed) return bad("this client must push its requests (PAR)");
  return {};
}

Ruled<void> fill(AuthorizationRequest& request, const http::Form& form, bool pushed) {
  const Client& client = *request.client;
  if (auto shape = check_shape(client, form, pushed); !shape) return shape;
  if (request.state.size() > kMaxState) return bad("state is too long");
  request.nonce = form.value("nonce");
  if (request.nonce.size() > kMaxNonce) return bad("nonce is too long");
  request.challenge = form.value("code_challenge");
  if (auto pkce = check_challenge(request.challenge, form.value("code_challenge_method"),
                                  client.require_pkce || client.auth == ClientAuth::none);
      !pkce)
    return pkce;
  auto scopes = check_scopes(client, form.value("scope"));
  if (!scopes) return std::unexpected(scopes.error());
  request.scopes = std::move(*scopes);
  auto resources = check_resources(client, form);
  if (!resources) return std::unexpected(resources.error());
  request.resources = std::move(*resources);
  if (auto prompts = read_prompts(request, form.value("prompt")); !prompts) return prompts;
  if (const auto text = form.value("max_age"); !text.empty()) {
    request.max_age = seconds_of(text);
    if (!request.max_age) return bad("max_age is not a number of seconds");
  }
  request.dpop_jkt = form.value("dpop_jkt");
  if (!request.dpop_jkt.empty()) {
    const auto digest = from_base64url(request.dpop_jkt);
    if (!digest || digest->size() != 32) return bad("dpop_jkt is not a thumbprint");
  }
  request.login_hint = form.value("login_hint").substr(0, kMaxHint);
  request.ui_locales = form.value("ui_locales").substr(0, kMaxHint);
  request.id_token_hint = form.value("id_token_hint");
  request.claims = form.value("claims");
  return read_claims(request);
}

RequestRefusal to_page(std::string_view why, std::shared_ptr<const Client> client = nullptr) {
  return {.error = bad(why).error(), .client = std::move(client)};
}

}  // namespace

bool AuthorizationRequest::prompts_for(std::string_view what) const { return has_word(prompts, what); }

std::expected<AuthorizationRequest, RequestRefusal> read_request(const Clients& clients,
                                                                 const http::Form& form, bool pushed) {
  for (const auto* name : {"client_id", "redirect_uri"})
    if (form.all(name).size() > 1) return std::unexpected(to_page(std::string(name) + " is there twice"));
  AuthorizationRequest request;
  request.client = clients.find(form.value("client_id"));
  if (!request.client) return std::unexpected(to_page("client_id is not that of a client"));
  request.redirect_uri = form.value("redirect_uri");
  if (!redirect_uri_matches(*request.client, request.redirect_uri))
    return std::unexpected(to_page("redirect_uri is not registered for this client", request.client));
  request.state = form.value("state");
  request.form_post = form.value("response_mode") == "form_post";
  if (auto filled = fill(request, form, pushed); !filled)
    return std::unexpected(RequestRefusal{std::move(filled).error(), request.client, request.redirect_uri,
                                          request.state.substr(0, kMaxState), request.form_post});
  return request;
}

Ruled<std::vector<std::string>> check_resources(const Client& client, const http::Form& form) {
  std::vector<std::string> resources;
  for (const auto resource : form.all("resource")) {
    if (!has_word(client.resources, resource) || resource.contains('#') || resource.contains(' '))
      return refusal("invalid_target", "a resource that this client may not name");
    if (!has_word(resources, resource)) resources.emplace_back(resource);
  }
  return resources;
}

Ruled<std::vector<std::string>> check_scopes(const Client& client, std::string_view asked) {
  std::vector<std::string> scopes;
  for (auto& scope : words_of(asked)) {
    if (has_word(client.scopes, scope))
      scopes.push_back(std::move(scope));
    else if (is_known_scope(scope) && scope != "offline_access")
      return refusal("invalid_scope", "a scope that this client may not ask for");
  }
  return scopes;
}

}  // namespace muhur::oidc

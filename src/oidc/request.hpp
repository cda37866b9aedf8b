#pragma once
// The authorization request (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1 and later RFCs), validated.
// Private to oidc/ but for its tests.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/form.hpp"
#include "oidc/clients.hpp"
#include "oidc/refusal.hpp"

namespace muhur::oidc {

inline constexpr std::string_view kAcr = "1";  // one factor: all there is so far

struct AuthorizationRequest {
  std::shared_ptr<const Client> client;
  std::string redirect_uri;
  bool form_post = false;
  std::string state, nonce, challenge, login_hint, ui_locales, id_token_hint, dpop_jkt;
  std::vector<std::string> scopes;   // known ones that this client may ask for, those behind `claims` added
  std::vector<std::string> prompts;  // "none" stands alone
  std::optional<std::int64_t> max_age;
  std::vector<std::string> resources;  // RFC 8707
  std::string claims;                  // the parameter's JSON object; empty: none
  std::string wanted_subject;          // of claims or of id_token_hint; empty: anyone
  bool impossible_acr = false;         // an essential acr that there is not

  bool prompts_for(std::string_view what) const;
};

// Who is to hear of a refusal. Without a redirect_uri that is registered for a known client: the page alone.
struct RequestRefusal {
  OAuthError error;
  std::shared_ptr<const Client> client;  // null: unknown
  std::string redirect_uri;              // empty: to the page
  std::string state;
  bool form_post = false;
};

// `pushed`: the parameters came through PAR. `request` and foreign `request_uri` are refused.
std::expected<AuthorizationRequest, RequestRefusal> read_request(const Clients& clients,
                                                                 const http::Form& form, bool pushed);

// RFC 8707: absolute, without fragment, and one of the client's. invalid_target.
Ruled<std::vector<std::string>> check_resources(const Client& client, const http::Form& form);
// The scopes of `asked` that are known and allowed to this client. Unknown ones are passed over (OpenID
// Connect Core §3.1.2.1); known ones that are not the client's are invalid_scope.
Ruled<std::vector<std::string>> check_scopes(const Client& client, std::string_view asked);

}  // namespace muhur::oidc

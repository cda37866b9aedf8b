#include "oidc/authorize.hpp"

#include "oidc/scope.hpp"
#include "oidc/standing.hpp"

namespace muhur::oidc {
namespace {

using Step = Decision::Step;

Decision refuse(std::string_view code, std::string_view why) {
  return {Step::refuse, refusal(code, why).error()};
}

// OpenID Connect Core §3.1.2.3: a proof that is wanted anew, or that is too old.
bool needs_sign_in(const AuthorizationRequest& request, const Present& present, std::int64_t now_s) {
  if (present.fresh || present.consented) return false;
  if (request.prompts_for("login") || request.prompts_for("select_account")) return true;
  // Whole seconds: what seems to be max_age may be nearly a second more.
  return request.max_age && now_s - present.auth_time_s >= *request.max_age;
}

bool needs_consent(const AuthorizationRequest& request, const Present& present, std::string_view remembered) {
  if (present.consented) return false;
  if (request.prompts_for("consent")) return true;
  return !request.client->skip_consent && (remembered.empty() || !covers(remembered, joined(request.scopes)));
}

}  // namespace

Decision decide(const AuthorizationRequest& request, const std::optional<Present>& present,
                std::string_view remembered, std::int64_t now_s) {
  if (request.impossible_acr)
    return refuse("unmet_authentication_requirements", "no such acr can be reached here");
  const bool silent = request.prompts_for("none");
  const bool another =
      present && !request.wanted_subject.empty() && present->subject != request.wanted_subject;
  if (another && (present->fresh || present->consented))
    return refuse("login_required", "somebody else signed in than was asked for");
  if (!present || another || needs_sign_in(request, *present, now_s)) {
    if (silent) return refuse("login_required", "nobody is signed in who would do");
    return {Step::sign_in, {}};
  }
  if (!is_open_to(*request.client, present->groups))
    return refuse("access_denied", "this user may not use this client");
  if (needs_consent(request, *present, remembered)) {
    if (silent) return refuse("consent_required", "the user has to be asked");
    return {Step::consent, {}};
  }
  return {Step::issue, {}};
}

}  // namespace muhur::oidc

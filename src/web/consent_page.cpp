#include "web/consent_page.hpp"

namespace muhur::web {

Html scope_list(const Language& t, const std::vector<std::string>& scopes) {
  Html items;
  for (const std::string& scope : scopes) {
    const std::string key = "scope." + scope;
    const bool known = english().has(key);
    items += el("li", {}, known ? Html(t(key)) : el("code", {}, el("bdi", {}, scope)));
  }
  return el("ul", {{"class", "scopes"}}, items);
}

http::Response consent_page(const Frame& frame, const ConsentModel& model) {
  const Language& t = frame.t;
  Html client = el("strong", {}, el("bdi", {}, model.client_name));
  if (!model.client_uri.empty()) client = el("a", {{"href", model.client_uri}, {"rel", "noopener"}}, client);
  Html main = el("p", {{"class", "lead"}}, t.rich("consent.asks", {{"client", client}}));
  Html user = t.rich("consent.user", {{"user", el("bdi", {}, model.user)}});
  if (const std::string url = with_parameter(frame.self, "prompt", "login"); !url.empty())
    user += " " + el("a", {{"href", url}}, t("consent.other_account"));
  main += el("p", {}, user);
  if (!model.scopes.empty())
    main += el("h2", {{"id", "scopes"}}, t("consent.scopes")) + scope_list(t, model.scopes);

  Html links;
  if (!model.policy_uri.empty())
    links += el("li", {}, el("a", {{"href", model.policy_uri}, {"rel", "noopener"}}, t("consent.policy")));
  if (!model.tos_uri.empty())
    links += el("li", {}, el("a", {{"href", model.tos_uri}, {"rel", "noopener"}}, t("consent.terms")));
  if (!links.empty()) main += el("ul", {{"class", "links"}}, links);

  main += form(frame, model.action, model.csrf,
               hidden("pending", model.pending) + decision(t("consent.approve"), t("consent.deny")));
  main += el("p", {{"class", "hint"}}, t("consent.remembered"));
  return page(frame, {.title = t("consent.title"), .main = main, .form_targets = model.form_targets});
}

}  // namespace muhur::web

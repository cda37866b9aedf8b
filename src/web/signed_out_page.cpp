#include "web/signed_out_page.hpp"

namespace muhur::web {

http::Response sign_out_page(const Frame& frame, const SignOutModel& model) {
  const Language& t = frame.t;
  Html main;
  if (model.client_name.empty())
    main += el("p", {{"class", "lead"}}, t("sign_out.ask"));
  else
    main +=
        el("p", {{"class", "lead"}},
           t.rich("sign_out.client_asks", {{"client", el("strong", {}, el("bdi", {}, model.client_name))}}));
  if (!model.user.empty()) main += el("p", {}, t.rich("consent.user", {{"user", el("bdi", {}, model.user)}}));
  main += form(frame, model.action, model.csrf,
               hidden("pending", model.pending) + decision(t("sign_out.approve"), t("sign_out.deny")));
  return page(frame, {.title = t("sign_out.title"), .main = main, .form_targets = model.form_targets});
}

http::Response signed_out_page(const Frame& frame, const SignedOutModel& model) {
  const Language& t = frame.t;
  Html main = notice(t(model.stayed ? "signed_out.stayed" : "signed_out.done"));
  if (!model.sign_in_url.empty())
    main += el("p", {}, el("a", {{"class", "button"}, {"href", model.sign_in_url}}, t("signed_out.sign_in")));
  return page(frame,
              {.title = t(model.stayed ? "signed_out.stayed_title" : "signed_out.title"), .main = main});
}

}  // namespace muhur::web

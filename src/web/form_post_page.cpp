#include "web/form_post_page.hpp"

namespace muhur::web {

http::Response form_post_page(const Frame& frame, const FormPostModel& model) {
  const Language& t = frame.t;
  Html fields;
  for (const auto& [name, value] : model.parameters.fields()) fields += hidden(name, value);
  Html main = el("p", {{"class", "lead"}},
                 t.rich("form_post.lead", {{"client", el("strong", {}, el("bdi", {}, model.client_name))}}));
  main += el(
      "form", {{"method", "post"}, {"action", model.redirect_uri}}, fields,
      el("button", {{"type", "submit"}, {"class", "primary"}, {"autofocus", true}}, t("form_post.continue")));
  return page(frame, {.title = t("form_post.title"),
                      .main = main,
                      .form_targets = {model.redirect_uri},
                      .script = "document.forms[0].submit()"});
}

}  // namespace muhur::web

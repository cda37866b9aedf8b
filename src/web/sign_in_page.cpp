#include "web/sign_in_page.hpp"

namespace muhur::web {
namespace {

using Trouble = SignInModel::Trouble;

std::string trouble_text(const Language& t, const SignInModel& model) {
  switch (model.trouble) {
    case Trouble::none:
      return {};
    case Trouble::refused:
      return t("sign_in.refused");
    case Trouble::wait:
      return t("sign_in.wait", {{"seconds", shown_seconds(model.retry_after_s)}});
    case Trouble::busy:
      return t("sign_in.busy");
  }
  return {};
}

int status_of(Trouble trouble) {
  if (trouble == Trouble::wait) return 429;
  return trouble == Trouble::busy ? 503 : 200;
}

}  // namespace

http::Response sign_in_page(const Frame& frame, const SignInModel& model) {
  const Language& t = frame.t;
  const bool trouble = model.trouble != Trouble::none, refused = model.trouble == Trouble::refused;
  const bool know_who = !model.login.empty();

  Html main;
  if (!model.client_name.empty())
    main += el("p", {{"class", "lead"}},
               t.rich("sign_in.to", {{"client", el("strong", {}, el("bdi", {}, model.client_name))}}));
  if (trouble) main += alert(trouble_text(t, model));

  const auto flag = [](bool on) { return on ? "true" : "false"; };
  const Html login = el("label", {{"for", "login"}}, t("sign_in.login")) +
                     el("input", {{"id", "login"},
                                  {"name", "login"},
                                  {"type", "text"},
                                  {"inputmode", "email"},
                                  {"autocomplete", "username"},
                                  {"autocapitalize", "none"},
                                  {"autocorrect", "off"},
                                  {"spellcheck", "false"},
                                  {"maxlength", "320"},
                                  {"value", model.login},
                                  {"aria-invalid", flag(refused)},
                                  {"aria-describedby", std::string_view("problem"), trouble},
                                  {"required", true},
                                  {"autofocus", !know_who}});
  const Html password = el("label", {{"for", "password"}}, t("sign_in.password")) +
                        el("input", {{"id", "password"},
                                     {"name", "password"},
                                     {"type", "password"},
                                     {"autocomplete", "current-password"},
                                     {"maxlength", "1024"},
                                     {"aria-invalid", flag(refused)},
                                     {"aria-describedby", std::string_view("problem"), trouble},
                                     {"required", true},
                                     {"autofocus", know_who}});
  main += form(frame, model.action, model.csrf,
               hidden("pending", model.pending) + login + password +
                   el("button", {{"type", "submit"}, {"class", "primary"}}, t("sign_in.submit")));

  http::Response response = page(frame, {.title = t("sign_in.title"),
                                         .main = main,
                                         .status = status_of(model.trouble),
                                         .form_targets = model.form_targets});
  if (response.status != 200)
    response.headers.set("Retry-After", std::to_string(std::max(model.retry_after_s, 1l)));
  return response;
}

}  // namespace muhur::web

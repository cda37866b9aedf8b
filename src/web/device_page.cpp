#include "web/device_page.hpp"

#include "web/consent_page.hpp"

namespace muhur::web {

http::Response device_code_page(const Frame& frame, const DeviceCodeModel& model) {
  using Trouble = DeviceCodeModel::Trouble;
  const Language& t = frame.t;
  const bool wrong = model.trouble == Trouble::unknown, wait = model.trouble == Trouble::wait;
  const std::string seconds = std::to_string(std::max(model.retry_after_s, 1l));
  Html main = el("p", {{"class", "lead"}}, t("device.lead"));
  if (wrong) main += alert(t("device.unknown"));
  if (wait) main += alert(t("device.wait", {{"seconds", shown_seconds(model.retry_after_s)}}));
  main += form(frame, model.action, model.csrf,
               el("label", {{"for", "user_code"}}, t("device.code")) +
                   el("input", {{"id", "user_code"},
                                {"name", "user_code"},
                                {"type", "text"},
                                {"class", "code"},
                                {"autocomplete", "off"},
                                {"autocapitalize", "characters"},
                                {"autocorrect", "off"},
                                {"spellcheck", "false"},
                                {"maxlength", "40"},
                                {"value", model.user_code},
                                {"aria-invalid", wrong ? "true" : "false"},
                                {"aria-describedby", std::string_view("problem"), wrong || wait},
                                {"required", true},
                                {"autofocus", true}}) +
                   el("button", {{"type", "submit"}, {"class", "primary"}}, t("device.continue")));
  http::Response response =
      page(frame, {.title = t("device.title"), .main = main, .status = wait ? 429 : 200});
  if (wait) response.headers.set("Retry-After", seconds);
  return response;
}

http::Response device_confirm_page(const Frame& frame, const DeviceConfirmModel& model) {
  const Language& t = frame.t;
  Html main = el("p", {{"class", "lead"}},
                 t.rich("device.asks", {{"client", el("strong", {}, el("bdi", {}, model.client_name))}})) +
              el("p", {{"class", "code"}}, el("bdi", {}, model.user_code)) +
              el("p", {}, t("device.compare")) +
              el("p", {}, t.rich("consent.user", {{"user", el("bdi", {}, model.user)}}));
  if (!model.scopes.empty()) main += el("h2", {}, t("consent.scopes")) + scope_list(t, model.scopes);
  main += form(frame, model.action, model.csrf,
               hidden("user_code", model.user_code) + decision(t("device.approve"), t("device.deny")));
  return page(frame, {.title = t("device.title"), .main = main});
}

http::Response device_done_page(const Frame& frame, bool approved, std::string_view client_name) {
  const Language& t = frame.t;
  const Html client = el("strong", {}, el("bdi", {}, client_name));
  if (approved)
    return page(frame, {.title = t("device.approved_title"),
                        .main = notice(t.rich("device.approved", {{"client", client}}))});
  return page(frame, {.title = t("device.denied_title"),
                      .main = el("p", {{"role", "status"}}, t.rich("device.denied", {{"client", client}}))});
}

}  // namespace muhur::web

#include "web/error_page.hpp"

namespace muhur::web {
namespace {

std::string_view name_of(ErrorModel::Kind kind) {
  using Kind = ErrorModel::Kind;
  switch (kind) {
    case Kind::request:
      return "request";
    case Kind::over:
      return "over";
    case Kind::forbidden:
      return "forbidden";
    case Kind::not_found:
      return "not_found";
    case Kind::method:
      return "method";
    case Kind::too_large:
      return "too_large";
    case Kind::busy:
      return "busy";
    case Kind::failed:
      break;
  }
  return "failed";
}

}  // namespace

http::Response error_page(const Frame& frame, const ErrorModel& model) {
  const Language& t = frame.t;
  const std::string key = fmt::format("error.{}", name_of(model.kind));
  Html main = alert(t(key + ".text"));
  if (!model.client_uri.empty())
    main += el("p", {},
               el("a", {{"class", "button"}, {"href", model.client_uri}, {"rel", "noopener"}},
                  t("error.back", {{"client", model.client_name}})));
  if (!model.home_url.empty())
    main += el("p", {}, el("a", {{"class", "button"}, {"href", model.home_url}}, t("sessions.title")));
  if (model.kind == ErrorModel::Kind::over)  // nobody's mistake: there is nothing to tell the operator
    return page(frame, {.title = t(key + ".title"), .main = main, .status = model.status});
  Html details;
  const auto detail = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) details += el("dt", {}, t(label)) + el("dd", {}, el("bdi", {}, value));
  };
  detail("error.client", model.client_name);
  detail("error.code", model.code);
  detail("error.description", model.description);
  detail("error.reference", model.reference);
  if (!details.empty()) main += el("h2", {}, t("error.details")) + el("dl", {}, details);

  http::Response response = page(frame, {.title = t(key + ".title"), .main = main, .status = model.status});
  if (model.retry_after_s > 0) response.headers.set("Retry-After", std::to_string(model.retry_after_s));
  return response;
}

}  // namespace muhur::web

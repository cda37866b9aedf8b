#include "web/routes.hpp"

#include "web/error_page.hpp"

namespace muhur::web {
namespace {

ErrorModel model_of(int status) {
  using Kind = ErrorModel::Kind;
  switch (status) {
    case 403:
      return {.kind = Kind::forbidden, .status = status};
    case 404:
      return {.kind = Kind::not_found, .status = status, .home_url = "/account/sessions"};
    case 405:
      return {.kind = Kind::method, .status = status};
    case 413:
    case 414:
    case 431:
      return {.kind = Kind::too_large, .status = status};
    case 503:
      return {.kind = Kind::busy, .status = status, .retry_after_s = 2};
    default:
      if (status >= 500) return {.kind = Kind::failed, .status = status};
      return {.kind = Kind::request, .status = status, .code = "invalid_request"};
  }
}

}  // namespace

void add_routes(http::Router& router, const Services& services) {
  services.site.assets.add_routes(router);
  add_authorize_routes(router, services);
  add_device_routes(router, services);
  add_logout_routes(router, services);
  add_session_routes(router, services);
  add_token_routes(router, services);
  add_userinfo_routes(router, services);
  add_registration_routes(router, services);
  add_document_routes(router, services);
  add_health_routes(router, services);
}

void finish_server(http::ServerOptions& options, const Services& services) {
  options.finish = [&services](http::Response& response) {
    secure_headers(response);
    // An issuer never changes: whoever came by https once need not be asked to come by http.
    if (services.secure()) response.headers.set("Strict-Transport-Security", "max-age=31536000");
  };
  options.refusal = [&services](const http::Request& request, int status) {
    const auto query = http::Form::parse(request.query);
    const auto& language = choose_language(query ? query->value("ui_locales") : "",
                                           request.headers.get("Accept-Language").value_or(""));
    return error_page({services.site, language, {}}, model_of(status));
  };
}

}  // namespace muhur::web

#include "web/oauth_reply.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/unicode.hpp"

namespace muhur::web {
namespace json = boost::json;
namespace {

constexpr std::size_t kDeepest = 16;

std::unexpected<oidc::OAuthError> malformed(std::string why) {
  return std::unexpected(oidc::OAuthError{.code = "invalid_request", .description = std::move(why)});
}

}  // namespace

http::Response reply(const json::object& object, int status) {
  return http::Response::json(status, json::serialize(object)).with("Pragma", "no-cache");
}

http::Response reply(const oidc::OAuthError& error) {
  json::object object{{"error", error.code}};
  if (!error.description.empty()) object["error_description"] = error.description;
  auto response = reply(object, error.status);
  if (!error.www_authenticate.empty()) response.with("WWW-Authenticate", error.www_authenticate);
  if (!error.dpop_nonce.empty()) response.with("DPoP-Nonce", error.dpop_nonce);
  if (error.retry_after_s > 0) response.with("Retry-After", std::to_string(error.retry_after_s));
  return response;
}

http::Response reply(const oidc::JsonAnswer& answer, int status) {
  return answer ? reply(*answer, status) : reply(answer.error());
}

http::Response with_nonce(http::Response response, const std::string& fresh_nonce) {
  if (!fresh_nonce.empty()) response.headers.set("DPoP-Nonce", fresh_nonce);
  return response;
}

std::expected<std::string, oidc::OAuthError> only_header(const http::Request& request,
                                                         std::string_view name) {
  const auto all = request.headers.all(name);
  if (all.size() > 1) return malformed(std::string(name) + " is there twice");
  return std::string(all.empty() ? std::string_view() : all[0]);
}

std::string_view credentials_of(std::string_view authorization, std::string_view scheme) {
  if (authorization.size() <= scheme.size() || authorization[scheme.size()] != ' ' ||
      !starts_with_ignoring_case(authorization, scheme))
    return {};
  return authorization.substr(scheme.size() + 1);
}

std::expected<json::object, oidc::OAuthError> read_json(const http::Request& request) {
  const auto type = request.headers.get("Content-Type").value_or("");
  if (!starts_with_ignoring_case(type, "application/json"))
    return malformed("the body must be application/json");
  json::parse_options options;
  options.max_depth = kDeepest;
  boost::system::error_code error;
  json::value value = json::parse(request.body, error, {}, options);
  if (error || !value.is_object()) return malformed("the body is no JSON object");
  return std::move(value.get_object());
}

}  // namespace muhur::web

#pragma once
// Answers of the endpoints that clients ask directly: JSON, never stored. Private to web/.

#include <boost/json/object.hpp>

#include "http/message.hpp"
#include "oidc/error.hpp"
#include "oidc/provider.hpp"

namespace muhur::web {

http::Response reply(const boost::json::object& object, int status = 200);
http::Response reply(const oidc::OAuthError& error);
http::Response reply(const oidc::JsonAnswer& answer, int status = 200);

// With the nonce for the client's next DPoP proof, if there is one.
http::Response with_nonce(http::Response response, const std::string& fresh_nonce);

// The one field of that name, empty when absent. invalid_request: there twice.
std::expected<std::string, oidc::OAuthError> only_header(const http::Request& request, std::string_view name);

// The token of "Authorization: Bearer …" (or DPoP); empty when there is none of that scheme.
std::string_view credentials_of(std::string_view authorization, std::string_view scheme);

// A JSON object. invalid_request: another type, malformed, or no object.
std::expected<boost::json::object, oidc::OAuthError> read_json(const http::Request& request);

}  // namespace muhur::web

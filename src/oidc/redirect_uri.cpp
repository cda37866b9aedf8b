// Redirect URIs: what may be registered, and what a registered one lets through.
#include "oidc/clients.hpp"
#include "oidc/uri.hpp"

namespace muhur::oidc {

Result<void> check_redirect_uri(std::string_view uri) {
  MUHUR_TRY(const auto parts, split_uri(uri));
  if (uri.contains('*'))
    return fail(Code::invalid, "there are no wildcards in redirect URIs", "Register each one whole");
  if (parts.scheme == "https" || parts.scheme == "http") return check_web_uri(uri);
  // RFC 8252 §7.1: a private-use scheme is a domain name in reverse. That also leaves out javascript: and
  // data:.
  if (!parts.scheme.contains('.'))
    return fail(Code::invalid, "a private-use scheme needs a dot, as in com.example.app:/callback");
  if (parts.rest.empty()) return fail(Code::invalid, "the URI has nothing behind its scheme");
  return {};
}

bool redirect_uri_matches(const Client& client, std::string_view uri) {
  for (const auto& registered : client.redirect_uris)
    if (registered == uri) return true;
  // RFC 8252 §7.3: an app listens on whatever port it is given. All else stays as registered.
  const auto asked = split_uri(uri);
  if (!asked || asked->scheme != "http" || !is_loopback_address(asked->host)) return false;
  for (const auto& registered : client.redirect_uris) {
    const auto known = split_uri(registered);
    if (known && known->scheme == "http" && known->host == asked->host && known->rest == asked->rest)
      return true;
  }
  return false;
}

}  // namespace muhur::oidc

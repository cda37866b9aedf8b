#pragma once
// Clients of common software: what each can do and where it waits for the answer, so that nobody has to look
// it up.

#include <span>
#include <string>
#include <string_view>

#include "oidc/clients.hpp"

namespace muhur::oidc {

struct ClientTemplate {
  std::string_view name;   // "roundcube"
  std::string_view title;  // "Roundcube"
};
std::span<const ClientTemplate> client_templates();

// The client for the software that runs at `base_url` (https://mail.example.org, also with a path). invalid:
// an unknown template (the remedy names those there are), a URL that cannot be one.
Result<Client> client_from_template(std::string_view name, std::string id, std::string_view base_url);

// What to write into the software's own configuration. `secret` is shown in its place; the caller prints and
// keeps none of it.
std::string instructions(std::string_view name, const Client& client, std::string_view base_url,
                         std::string_view issuer, std::string_view secret);

}  // namespace muhur::oidc

#pragma once
// Asks the user whether a client may have what it asks for. Posts: decision (approve, deny), pending, csrf,
// ui_locales.

#include "web/layout.hpp"

namespace muhur::web {

struct ConsentModel {
  std::string action = "/oauth2/consent";
  std::string pending;
  std::string csrf;
  std::string client_name;
  std::string client_uri, policy_uri, tos_uri;  // empty: not shown
  std::string user;                             // the address of who is signed in
  std::vector<std::string> scopes;              // those known are explained, others shown as they are
  std::vector<std::string> form_targets;        // the client's redirect URI
};

http::Response consent_page(const Frame& frame, const ConsentModel& model);
Html scope_list(const Language& t, const std::vector<std::string>& scopes);  // shared with the device page

}  // namespace muhur::web

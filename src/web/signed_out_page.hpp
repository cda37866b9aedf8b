#pragma once
// The end of a session: asks first where the request does not prove itself, then says that it is over.

#include "web/layout.hpp"

namespace muhur::web {

// Posts: decision (approve, deny), pending, csrf, ui_locales.
struct SignOutModel {
  std::string action = "/oauth2/logout";
  std::string pending;
  std::string csrf;
  std::string client_name;                // empty: unknown
  std::string user;                       // empty: unknown
  std::vector<std::string> form_targets;  // the post-logout redirect URI
};
http::Response sign_out_page(const Frame& frame, const SignOutModel& model);

struct SignedOutModel {
  bool stayed = false;      // the user chose not to sign out
  std::string sign_in_url;  // empty: no link
};
http::Response signed_out_page(const Frame& frame, const SignedOutModel& model);

}  // namespace muhur::web

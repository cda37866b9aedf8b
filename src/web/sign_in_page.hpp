#pragma once
// Asks for address and password. Posts: login, password, pending, csrf, ui_locales.

#include "web/layout.hpp"

namespace muhur::web {

struct SignInModel {
  enum class Trouble {
    none,
    refused,  // 401-like in meaning, one same text for every reason; the page answers 200
    wait,     // too many wrong guesses: retry_after_s says how long
    busy,     // the server is: status 503
  };
  std::string action = "/oauth2/login";
  std::string pending;  // empty on account pages
  std::string csrf;
  std::string client_name;  // empty: to the account itself
  std::string login;        // login_hint, or what was typed before
  Trouble trouble = Trouble::none;
  long retry_after_s = 0;
  std::vector<std::string> form_targets;  // the client's redirect URI
};

http::Response sign_in_page(const Frame& frame, const SignInModel& model);

}  // namespace muhur::web

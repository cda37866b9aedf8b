#pragma once
// The user's sessions, each with a button that ends it: this browser's by signing out. Posts: sid, or
// all_others=1; csrf, ui_locales.

#include <cstdint>

#include "web/layout.hpp"

namespace muhur::web {

struct SessionRow {
  std::string sid;
  std::int64_t created_s = 0, last_seen_s = 0;
  std::string peer;
  std::string user_agent;  // shortened to what people recognise
  bool current = false;
};

struct SessionsModel {
  std::string action = "/account/sessions";
  std::string sign_out_action = "/oauth2/logout";
  std::string csrf;           // for `action`
  std::string sign_out_csrf;  // for `sign_out_action`
  std::string user;
  std::vector<SessionRow> sessions;  // shown in this order, the current one first
  bool ended = false;                // one has just been ended: says so
};

http::Response sessions_page(const Frame& frame, const SessionsModel& model);

}  // namespace muhur::web

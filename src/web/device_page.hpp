#pragma once
// The device grant's pages (RFC 8628 §3.3): type the code, look at what asks, decide, done. A code that came
// in the address (verification_uri_complete) is only filled in: nothing is approved without the button.

#include "web/layout.hpp"

namespace muhur::web {

// Posts: user_code, csrf, ui_locales.
struct DeviceCodeModel {
  enum class Trouble { none, unknown, wait };  // unknown: wrong or expired; wait: too many tries
  std::string action = "/device";
  std::string csrf;
  std::string user_code;  // filled in
  Trouble trouble = Trouble::none;
  long retry_after_s = 0;
};
http::Response device_code_page(const Frame& frame, const DeviceCodeModel& model);

// Posts: user_code, decision (approve, deny), csrf, ui_locales.
struct DeviceConfirmModel {
  std::string action = "/device";
  std::string csrf;
  std::string user_code;  // shown large: to be compared with the device's
  std::string client_name;
  std::string user;
  std::vector<std::string> scopes;
};
http::Response device_confirm_page(const Frame& frame, const DeviceConfirmModel& model);

http::Response device_done_page(const Frame& frame, bool approved, std::string_view client_name);

}  // namespace muhur::web

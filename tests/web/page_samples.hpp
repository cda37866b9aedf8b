#pragma once
// Every page, made with a text wherever it shows something from outside.

#include <functional>
#include <vector>

#include "web/consent_page.hpp"
#include "web/device_page.hpp"
#include "web/error_page.hpp"
#include "web/form_post_page.hpp"
#include "web/page_fixture.hpp"
#include "web/sessions_page.hpp"
#include "web/sign_in_page.hpp"
#include "web/signed_out_page.hpp"

namespace muhur::web {

struct Sample {
  const char* name;
  std::function<http::Response(const Frame&, const std::string& s)> make;
};

inline const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{
      {"sign in",
       [](const Frame& f, const std::string& s) {
         return sign_in_page(f, {.action = "/login", .pending = s, .csrf = s, .client_name = s, .login = s});
       }},
      {"sign in, refused",
       [](const Frame& f, const std::string& s) {
         return sign_in_page(f,
                             {.pending = s, .csrf = s, .login = s, .trouble = SignInModel::Trouble::refused});
       }},
      {"consent",
       [](const Frame& f, const std::string& s) {
         return consent_page(f, {.pending = s,
                                 .csrf = s,
                                 .client_name = s,
                                 .client_uri = "https://x/" + s,
                                 .policy_uri = "https://x/" + s,
                                 .tos_uri = "https://x/" + s,
                                 .user = s,
                                 .scopes = {"openid", s}});
       }},
      {"device code",
       [](const Frame& f, const std::string& s) {
         return device_code_page(f,
                                 {.csrf = s, .user_code = s, .trouble = DeviceCodeModel::Trouble::unknown});
       }},
      {"device confirm",
       [](const Frame& f, const std::string& s) {
         return device_confirm_page(f,
                                    {.csrf = s, .user_code = s, .client_name = s, .user = s, .scopes = {s}});
       }},
      {"device done", [](const Frame& f, const std::string& s) { return device_done_page(f, true, s); }},
      {"device denied", [](const Frame& f, const std::string& s) { return device_done_page(f, false, s); }},
      {"sign out",
       [](const Frame& f, const std::string& s) {
         return sign_out_page(f, {.pending = s, .csrf = s, .client_name = s, .user = s});
       }},
      {"stayed", [](const Frame& f, const std::string&) { return signed_out_page(f, {.stayed = true}); }},
      {"signed out",
       [](const Frame& f, const std::string& s) {
         return signed_out_page(f, {.sign_in_url = "https://x/" + s});
       }},
      {"error",
       [](const Frame& f, const std::string& s) {
         return error_page(f, {.code = s,
                               .description = s,
                               .client_name = s,
                               .client_uri = "https://x/" + s,
                               .home_url = "/" + s,
                               .reference = s});
       }},
      {"form post",
       [](const Frame& f, const std::string& s) {
         http::Form parameters;
         parameters.add("state", s);
         parameters.add(s, "v");
         return form_post_page(
             f, {.redirect_uri = "https://x.example/" + s, .parameters = parameters, .client_name = s});
       }},
      {"sessions", [](const Frame& f, const std::string& s) {
         return sessions_page(f, {.csrf = s,
                                  .sign_out_csrf = s,
                                  .user = s,
                                  .sessions = {{.sid = s, .peer = s, .user_agent = s, .current = true},
                                               {.sid = s, .peer = s, .user_agent = s}}});
       }}};
  return all;
}

}  // namespace muhur::web

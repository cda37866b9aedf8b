#pragma once
// How a server's sign-in is driven: where its endpoints are, how its forms are found, which client and which
// accounts there are. Without a file it is our own demonstration's. As JSON (every key may be left out and is
// then as in bench/login/profiles/muhur.json, which says them all):
//
//   {"name": "muhur",
//    "authorization": "/oauth2/authorize", "token": "/oauth2/token", "introspection": "/oauth2/introspect",
//    "introspect_as": "bearer" | "client",
//    "client": {"id", "secret", "auth": "none" | "post" | "basic"},
//    "redirect_uri", "scope", "parameters": {more of the authorization request},
//    "sign_in": {"action", "user", "password", "fields": {…}},
//    "consent": {"action", "fields": {…}},
//    "account": "benchNNNN@example.org", "password": "bench-password-NNNN"}
//
// A form is the first one whose action contains "action". Its hidden inputs are sent back with the fields
// that are named here. A run of the letter N stands for the account's number with as many digits.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace muhur::bench {

using FormFields = std::vector<std::pair<std::string, std::string>>;

struct LoginProfile {
  std::string name = "muhur";
  std::string authorization = "/oauth2/authorize";
  std::string token = "/oauth2/token";
  std::string introspection = "/oauth2/introspect";
  // {"token": T} as JSON with `Authorization: Bearer T`; else a form with the client's authentication.
  bool introspect_by_bearer = true;
  enum class ClientAuth { none, post, basic };
  std::string client_id = "bench", client_secret;
  ClientAuth client_auth = ClientAuth::none;
  std::string redirect_uri = "http://127.0.0.1/callback";
  std::string scope = "openid profile email";
  FormFields parameters;
  std::string sign_in_action = "/oauth2/login";
  std::string user_field = "login", password_field = "password";
  FormFields sign_in_fields;
  std::string consent_action;  // empty: no such step
  FormFields consent_fields;
  std::string account = "benchNNNN@example.org", password = "bench-password-NNNN";

  // invalid: no JSON, an unknown key, a value of the wrong kind.
  static Result<LoginProfile> parse(std::string_view json);
  static Result<LoginProfile> read(const std::filesystem::path& file);
};

// "benchNNNN" and 7: "bench0007". The first run of at least two Ns counts.
std::string numbered(std::string_view pattern, std::uint64_t number);

}  // namespace muhur::bench

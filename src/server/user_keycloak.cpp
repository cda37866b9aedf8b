// A user as Keycloak's realm export has it. Its passwords lie in two JSON texts within the JSON:
//   credentialData  {"hashIterations":5,"algorithm":"argon2","additionalParameters":{"memory":["7168"],
//                    "type":["id"],"version":["1.3"],"parallelism":["1"],"hashLength":["32"]}}
//   secretData      {"value":"base64","salt":"base64"}
// Argon2 becomes a PHC string. Its older PBKDF2 cannot be verified here.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "oidc/json.hpp"
#include "server/user_fields.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

constexpr std::string_view kElse =
    "Let Keycloak store it as Argon2 (its hashing policy, then a sign-in) and export again, or give that "
    "user a new password with `muhur user add`";

std::string text(const json::object& object, std::string_view name) {
  return std::string(oidc::text_of(object, name).value_or(""));
}

std::unexpected<Error> damaged() { return fail(Code::invalid, "the user's password is damaged"); }

std::string without_padding(std::string base64) {
  while (base64.ends_with('=')) base64.pop_back();
  return base64;
}

Result<std::string> phc_of(const json::object& credential) {
  const auto data = oidc::parse_object(text(credential, "credentialData"));
  const auto secret = oidc::parse_object(text(credential, "secretData"));
  if (!data || !secret) return damaged();
  const std::string algorithm = text(*data, "algorithm");
  if (algorithm != "argon2")
    return fail(Code::unsupported,
                fmt::format("passwords of Keycloak's {:.40} cannot be verified here", algorithm),
                std::string(kElse));
  const auto* passes = data->if_contains("hashIterations");
  const auto* more = data->if_contains("additionalParameters");
  if (!passes || !passes->is_int64() || !more || !more->is_object()) return damaged();
  // Each parameter is a list of one text.
  const auto parameter = [&](std::string_view name) -> std::string {
    const auto* list = more->get_object().if_contains(name);
    if (!list || !list->is_array() || list->get_array().size() != 1) return {};
    const auto& only = list->get_array()[0];
    return only.is_string() ? std::string(only.get_string()) : std::string();
  };
  if (parameter("version") != "1.3")
    return fail(Code::unsupported, "an Argon2 of another version than 1.3 cannot be verified here",
                std::string(kElse));
  return fmt::format("$argon2{}$v=19$m={},t={},p={}${}${}", parameter("type"), parameter("memory"),
                     passes->get_int64(), parameter("parallelism"), without_padding(text(*secret, "salt")),
                     without_padding(text(*secret, "value")));
}

Result<std::string> hash_of(const json::object& user) {
  const auto* list = user.if_contains("credentials");
  if (!list || !list->is_array()) return fail(Code::invalid, "credentials is not a list");
  for (const auto& one : list->get_array())
    if (one.is_object() && text(one.get_object(), "type") == "password") return phc_of(one.get_object());
  return fail(Code::invalid, "the user has no password", std::string(kElse));
}

}  // namespace

Result<UserFields> user_from_keycloak(std::string_view line) {
  MUHUR_TRY(const auto object, oidc::parse_object(line));
  UserFields user;
  user.address = text(object, "email");
  if (user.address.empty()) user.address = text(object, "username");
  const std::string first = text(object, "firstName"), last = text(object, "lastName");
  user.name = first + (first.empty() || last.empty() ? "" : " ") + last;
  if (const auto* enabled = object.if_contains("enabled"); enabled && enabled->is_bool())
    user.disabled = !enabled->get_bool();
  MUHUR_TRY(user.hash, hash_of(object));
  return user;
}

}  // namespace muhur::server

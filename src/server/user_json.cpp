#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "oidc/json.hpp"
#include "server/user_fields.hpp"

namespace muhur::server {
namespace json = boost::json;
namespace {

std::unexpected<Error> wrong_kind(std::string_view name) {
  return fail(Code::invalid, fmt::format("{} has a value of a wrong kind", name));
}

Result<void> take(UserFields& user, std::string_view name, const json::value& value) {
  for (const auto& [known, text] :
       {std::pair{"address", &user.address}, {"name", &user.name}, {"hash", &user.hash}})
    if (name == known) {
      if (value.is_null()) return {};
      if (!value.is_string()) return wrong_kind(name);
      *text = value.get_string();
      return {};
    }
  for (const auto& [known, flag] :
       {std::pair{"admin", &user.admin}, {"disabled", &user.disabled}, {"mailbox", &user.mailbox}})
    if (name == known) {
      if (value.is_null()) return {};
      if (!value.is_bool()) return wrong_kind(name);
      *flag = value.get_bool();
      return {};
    }
  if (name == "quota") {
    if (value.is_null()) return {};
    if (value.is_int64() && value.get_int64() >= 0)
      user.quota = std::to_string(value.get_int64());
    else if (value.is_string())
      user.quota = value.get_string();
    else
      return wrong_kind(name);
    return {};
  }
  return fail(Code::invalid, fmt::format("nothing is known of the member {:.40}", name),
              fmt::format("Take it away. Known are {}", kUserFieldNames));
}

}  // namespace

Result<UserFields> user_from_json(std::string_view line) {
  const auto object = oidc::parse_object(line);
  if (!object)
    return fail(Code::invalid, "the line is not one JSON object", "One object a line: jq -c '.[]'");
  if (object->contains("credentials")) return fail(Code::not_found, "a user of a Keycloak export");
  UserFields user;
  for (const auto& [name, value] : *object) MUHUR_CHECK(take(user, name, value));
  return user;
}

}  // namespace muhur::server

#include "cli/user_admin.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdio>

namespace muhur::cli {

Result<std::string> add_user(const Where& where, const UserToAdd& user, const Secret& password) {
  boost::json::object request{{"command", "user.add"}, {"address", user.address},
                              {"name", user.name},     {"admin", user.admin},
                              {"quota", user.quota},   {"password", password.text()}};
  MUHUR_TRY(const auto reply, ask(where, std::move(request)));
  const auto* key = reply.if_contains("recovery_key");
  if (!key || !key->is_string()) return fail(Code::internal, "the server gave no recovery key");
  return std::string(key->get_string());
}

void print_recovery_key(const std::string& address, const std::string& key) {
  std::printf("Added %s.\n\n", address.c_str());
  print_recovery_key(key);
}

void print_recovery_key(const std::string& key) {
  std::printf(
      "  Recovery key: %s\n\n"
      "This is the only time it is shown, and it is stored nowhere. Whoever has it can set a new\n"
      "password and read the mail. Without it and without a password the mail is lost for good.\n\n",
      key.c_str());
}

}  // namespace muhur::cli

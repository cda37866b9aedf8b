#pragma once
// Adding a user from a command: shared by `muhur user add` and `muhur init --admin`.

#include <string>

#include "base/secret.hpp"
#include "cli/mail_system.hpp"

namespace muhur::cli {

struct UserToAdd {
  std::string address, name;
  bool admin = false;
  std::int64_t quota = 0;
};
// The recovery key.
Result<std::string> add_user(const Where& where, const UserToAdd& user, const Secret& password);
void print_recovery_key(const std::string& key);
// Of a user who was added just now.
void print_recovery_key(const std::string& address, const std::string& key);

}  // namespace muhur::cli

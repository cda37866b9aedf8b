#pragma once
// One user of a file, before and after it was checked. Private to server/user_file*.

#include <optional>
#include <string>
#include <string_view>

#include "accounts/credentials.hpp"

namespace muhur::server {

struct UserFields {
  std::string address, name, hash;
  std::string quota;  // "2GiB", bytes, empty or "none"
  bool admin = false, disabled = false, mailbox = true;
};

// What a column or member may be named, for the remedy of an error.
inline constexpr std::string_view kUserFieldNames = "address, name, hash, quota, admin, disabled, mailbox";

// invalid, unsupported.
Result<accounts::Credentials::Imported> check_fields(UserFields fields);

// "true", "yes", "1" and their opposites; empty: `otherwise`.
Result<bool> read_flag(std::string_view text, bool otherwise);

// user_json.cpp: one line.
Result<UserFields> user_from_json(std::string_view line);
// user_keycloak.cpp: {"email","username","firstName","lastName","enabled","credentials":[…]}; of the rest
// nothing is read.
Result<UserFields> user_from_keycloak(std::string_view line);
// user_csv.cpp: the fields of one line. invalid: a quote that is not closed, or stands within a field.
Result<std::vector<std::string>> split_csv(std::string_view line);

}  // namespace muhur::server

#pragma once
// One recipient of a message on its way in.

#include <string>

#include "accounts/users.hpp"

namespace muhur::mail {

struct Recipient {
  std::string address;  // as given in RCPT TO
  accounts::User user;
  std::string tag;  // of user+tag
};

}  // namespace muhur::mail

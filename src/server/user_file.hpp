#pragma once
// A file of users from elsewhere, as `muhur user import` takes it. Two forms, told apart by the first letter:
//
//   {"address":"a@example.org","name":"Ayşe","hash":"{BLF-CRYPT}$2y$…","quota":"2GiB",
//    "admin":false,"disabled":false,"mailbox":true}
//        one object a line; or a user of a Keycloak export: email, firstName, credentials …
//
//   address,name,hash,quota
//   a@example.org,"Ay, Ayşe",$2y$10$…,2GiB
//        CSV (RFC 4180, a record a line) with a head
//
// Only address and hash have to be there. `mailbox` false: an identity without mail. Nothing is guessed: an
// unknown member or column is an error, for it may say what must not be lost (aliases, a second factor).

#include <string>
#include <string_view>
#include <vector>

#include "accounts/credentials.hpp"

namespace muhur::server {

inline constexpr std::size_t kLargestUserFile = 256ULL << 20;
inline constexpr std::size_t kLongestUserLine = 64 << 10;
inline constexpr std::size_t kMostUsers = 1'000'000;

struct UserLine {
  std::size_t line;  // from 1
  accounts::Credentials::Imported user;
};
struct BadLine {
  std::size_t line;
  Error error;
};
struct UserFile {
  std::vector<UserLine> users;
  std::vector<BadLine> bad;
};

// invalid: it is neither form, or a column is unknown; limit: too large. What is wrong with one line is in
// `bad`, and never shows a hash.
Result<UserFile> read_user_file(std::string_view text);

}  // namespace muhur::server

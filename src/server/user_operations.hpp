#pragma once
// What server/operations does about users beyond the everyday: imports, new recovery keys, and the proof that
// new credentials need.

#include <boost/json/object.hpp>

#include "mail/post_office.hpp"

namespace muhur::server {

// {"users":[{"address","name","record","quota","admin","disabled","mailbox"},…],"check":true}
//   -> {"imported":N,"problems":[{"index":0,"code":"exists","what":"…","remedy":"…"}]}
// All of them or, with a problem, none. "check": looks for problems and writes nothing.
Result<boost::json::object> import_users(mail::PostOffice& office, const boost::json::object& request);
boost::json::object import_request(std::span<const accounts::Credentials::Imported* const> users, bool check);

// Who it is, with the mailbox's key: by "recovery_key" in the request where there is one, else by `password`,
// the name of the password there. denied: wrong, or an app password, which makes no other credentials: whoever
// finds it in a phone could keep the mailbox. Blocks for a hash.
Result<accounts::SignedIn> prove_owner(mail::PostOffice& office, std::string_view address,
                                       const boost::json::object& request,
                                       std::string_view password = "password");

// {"address","password"} or {"address","recovery_key"} -> {"recovery_key":"…"}; the old one is good no more.
Result<boost::json::object> renew_recovery_key(mail::PostOffice& office, const boost::json::object& request);

}  // namespace muhur::server

#pragma once
// What server/operations does about users beyond the everyday: imports, new recovery keys.

#include <boost/json/object.hpp>

#include "mail/post_office.hpp"

namespace muhur::server {

// {"users":[{"address","name","record","quota","admin","disabled","mailbox"},…],"check":true}
//   -> {"imported":N,"problems":[{"index":0,"code":"exists","what":"…","remedy":"…"}]}
// All of them or, with a problem, none. "check": looks for problems and writes nothing.
Result<boost::json::object> import_users(mail::PostOffice& office, const boost::json::object& request);
boost::json::object import_request(std::span<const accounts::Credentials::Imported* const> users, bool check);

// {"address","password"} or {"address","recovery_key"} -> {"recovery_key":"…"}; the old one is good no more.
Result<boost::json::object> renew_recovery_key(mail::PostOffice& office, const boost::json::object& request);

}  // namespace muhur::server

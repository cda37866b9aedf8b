#pragma once
// What server/operations does about app passwords: credentials of one mail client each, made by the server,
// which sign in to IMAP and to nothing else.

#include <boost/json/object.hpp>

#include "mail/post_office.hpp"

namespace muhur::server {

// {"address","name","password"} or {"address","name","recovery_key"} -> {"id","name","app_password":"…"}
// denied: the proof is wrong, or an app password itself. exists: the name is used. limit: there are
// kMostAppPasswords. conflict: the user is disabled, or has no mailbox. A first sign-in makes the mailbox.
Result<boost::json::object> add_app_password(mail::PostOffice& office, const boost::json::object& request);

// {"address"} -> {"app_passwords":[{"id","name","created","last_used" (null: never; exact to an hour)},…]}
Result<boost::json::object> list_app_passwords(mail::PostOffice& office, const boost::json::object& request);

// {"address","which"} -> {"id","name"} of the one that is no more. `which`: a name, else an id. Sessions that
// it opened go on: they do not know what they were opened with.
Result<boost::json::object> remove_app_password(mail::PostOffice& office, const boost::json::object& request);

}  // namespace muhur::server

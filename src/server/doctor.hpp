#pragma once
// Whether the stored data is sound.

#include <boost/json/object.hpp>

#include "mail/post_office.hpp"

namespace muhur::server {

// Checks directory.db and, for each of request["users"] ({"address","password"}), that user's mailbox:
// SQLite's integrity_check, and that no folder holds a UID twice or one it has not given out yet. Reply:
// {"checks":[{"name","ok","detail"}],"sound":bool}. Blocks.
Result<boost::json::object> check_health(mail::PostOffice& office, const boost::json::object& request);

}  // namespace muhur::server

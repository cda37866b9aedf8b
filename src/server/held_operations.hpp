#pragma once
// The operations on deliveries that could not be moved to their mailbox (server/operations.hpp),
// {"command":"held.…"}:
//   held.list                -> {"held":[{"id":7,"address":"…","received":"…","held":"…","size":1234,
//                                         "reason":"…"}]}
//   held.release   {"ids":[7,8]}, or {"address":"…"} for all of a user, or {"all":true}
//                            -> {"released":2}
//   held.discard   {"id":7}     it goes for good

#include <boost/json/object.hpp>

#include "mail/post_office.hpp"

namespace muhur::server {

// Each blocks.
Result<boost::json::object> list_held(mail::PostOffice& office, const boost::json::object& request);
Result<boost::json::object> release_held(mail::PostOffice& office, const boost::json::object& request);
Result<boost::json::object> discard_held(mail::PostOffice& office, const boost::json::object& request);

}  // namespace muhur::server

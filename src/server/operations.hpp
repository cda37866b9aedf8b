#pragma once
// What an administrator asks of the mail system, as JSON in and JSON out. The admin socket runs these inside
// a server; without one the command line runs the same code over the data directory that it opened itself.
//
//   {"command":"user.add","address":"a@example.org","password":"…"}  ->  {"ok":true,"recovery_key":"…"}
//   any failure  ->  {"ok":false,"error":{"code":"exists","what":"…","remedy":"…"}}

#include <boost/json/object.hpp>
#include <memory>
#include <string>

#include "mail/post_office.hpp"
#include "oidc/provider.hpp"

namespace muhur::server {

// PostOffice::open, whose refusals also name server.key and where it was looked for.
Result<std::unique_ptr<mail::PostOffice>> open_post_office(mail::PostOfficeOptions options);

// Runs one request. `body`: the message of "deliver". Wipes the secrets inside `request` when it is done with
// them. Never fails: what goes wrong is in the reply. `provider`: the one that runs, whose clients and keys
// client_operations.hpp and key_operations.hpp change; null: none runs.
net::Task<boost::json::object> run_operation(mail::PostOffice& office, boost::json::object request,
                                             std::shared_ptr<const std::string> body,
                                             oidc::Provider* provider = nullptr);

boost::json::object error_reply(const Error& error);
// The error inside a reply that is not ok.
Error error_of_reply(const boost::json::object& reply);

// Overwrites every text in the object and in those within it: requests and replies carry passwords and
// recovery keys.
void wipe(boost::json::object& object);

// Milliseconds since 1970 as "2026-11-30T10:00:00Z".
std::string format_time(std::int64_t ms);

}  // namespace muhur::server

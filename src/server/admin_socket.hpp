#pragma once
// DATA/run/admin.sock, mode 0600: how `muhur user …` and `muhur deliver` reach a running server.
//
//   request  = one line of JSON, LF; if it says "size": N, then N bytes (a message)
//   reply    = one line of JSON, LF; then the server closes
//
// Who may connect may administer: the file's mode is the whole access control.

#include <boost/json/object.hpp>
#include <filesystem>

#include "mail/post_office.hpp"
#include "net/stream.hpp"
#include "oidc/provider.hpp"

namespace muhur::server {

std::filesystem::path admin_socket_path(const std::filesystem::path& data);

// One connection, server's side. `provider`: the one that runs, which outlives it; null: none runs.
net::Task<void> serve_admin(mail::PostOffice& office, net::StreamPtr stream,
                            oidc::Provider* provider = nullptr);

// Client's side; blocks. not_found: no server runs on this data directory.
Result<boost::json::object> ask_server(const std::filesystem::path& data, boost::json::object request,
                                       std::string_view body);

}  // namespace muhur::server

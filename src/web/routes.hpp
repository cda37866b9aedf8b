#pragma once
// All routes. Each file *_routes.cpp has a few of one kind.

#include "http/router.hpp"
#include "http/server.hpp"
#include "web/services.hpp"

namespace muhur::web {

void add_routes(http::Router& router, const Services& services);

void add_authorize_routes(http::Router& router, const Services& services);  // authorize, login, consent
void add_device_routes(http::Router& router, const Services& services);     // the device grant's pages
void add_logout_routes(http::Router& router, const Services& services);     // RP-initiated logout
void add_session_routes(http::Router& router, const Services& services);    // the account's sessions
void add_token_routes(http::Router& router, const Services& services);      // what clients ask directly
void add_userinfo_routes(http::Router& router, const Services& services);
void add_registration_routes(http::Router& router, const Services& services);  // RFC 7591, 7592
void add_document_routes(http::Router& router, const Services& services);      // discovery, JWKS
void add_health_routes(http::Router& router, const Services& services);        // healthz, readyz, metrics

// Security headers on everything, and pages where there is no handler.
void finish_server(http::ServerOptions& options, const Services& services);

}  // namespace muhur::web

#pragma once
// Mail by token: an access token with scope `mail` opens its user's mailbox, with the key that it brings
// along.

#include "imap/server.hpp"
#include "oidc/provider.hpp"

namespace muhur::server {

// Counts each attempt with those by password, and records it in the audit log: a refusal each time, a success
// once an hour for the same user, client and network. Both outlive what comes back.
imap::TokenSignIn token_sign_in(mail::PostOffice& office, oidc::Provider& provider);

}  // namespace muhur::server

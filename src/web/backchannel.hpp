#pragma once
// Posts logout tokens to clients (OpenID Connect Back-Channel Logout 1.0 §2.5): a few tries, in the
// background, bounded in number.

#include <boost/asio/any_io_executor.hpp>

#include "http/client.hpp"
#include "oidc/provider.hpp"

namespace muhur::web {

// For Provider::on_backchannel_logout. `client` ends after the last run of the executor's context.
oidc::Provider::Notify post_logout_tokens(http::Client& client, boost::asio::any_io_executor executor);

}  // namespace muhur::web

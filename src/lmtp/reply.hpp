#pragma once
// Replies with their enhanced status codes (RFC 2034, 3463).

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muhur::lmtp {

// What became of one recipient or one message, as a whole line with its line break. The texts tell nothing
// of the server's inside.
std::string reply_to_recipient(const Error& error);
std::string reply_to_delivery(const Error& error);
std::string reply_to_syntax(const Error& error);

}  // namespace muhur::lmtp

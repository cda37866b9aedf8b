#pragma once
// The client's message of OAUTHBEARER (RFC 7628 §3.1) and of XOAUTH2, which webmails and older clients speak:
//
//   OAUTHBEARER  "n," ["a=" name] "," ^A  *( key "=" value ^A )  ^A     one key is "auth": "Bearer " token
//   XOAUTH2      "user=" name ^A "auth=Bearer " token ^A ^A

#include <optional>
#include <string>
#include <string_view>

#include "base/secret.hpp"

namespace muhur::imap {

struct BearerMessage {
  std::string name;  // whom the client means to be; empty: whoever the token's is
  Secret token;      // empty: none, or none that could be one. To be refused as a bad token is
};

enum class BearerForm { oauthbearer, xoauth2 };

// nullopt: malformed, or a request for channel binding, which neither form has ("p=", "y").
std::optional<BearerMessage> parse_bearer_message(BearerForm form, std::string_view text);

// What a refused client is told before the tagged NO (RFC 7628 §3.2.2), as JSON.
// `configuration`: where the sign-in service describes itself; empty: not told.
std::string bearer_challenge(std::string_view configuration);

}  // namespace muhur::imap

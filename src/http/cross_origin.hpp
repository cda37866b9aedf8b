#pragma once
// Cross-origin access (Fetch §3.2) for routes that ask for it: any origin, never with credentials. Private to
// http/.

#include <string>

#include "http/message.hpp"

namespace muhur::http {

inline void allow_any_origin(Response& response) {
  response.headers.set("Access-Control-Allow-Origin", "*");
  response.headers.set("Access-Control-Expose-Headers", "DPoP-Nonce, ETag, Retry-After, WWW-Authenticate");
}

inline void allow_preflight(Response& response, const std::string& methods) {
  response.headers.set("Access-Control-Allow-Origin", "*");
  response.headers.set("Access-Control-Allow-Methods", methods);
  response.headers.set("Access-Control-Allow-Headers", "Authorization, Content-Type, DPoP");
  response.headers.set("Access-Control-Max-Age", "7200");
}

}  // namespace muhur::http

#pragma once
// Messages into bytes. Private to http/.

#include <string>
#include <string_view>

#include "http/message.hpp"

namespace muhur::http {

struct Framing {
  bool to_head = false;     // headers alone
  bool close = false;       // says Connection: close
  bool keep_alive = false;  // says Connection: keep-alive, which HTTP/1.0 waits for
};

// Appends. Date, Content-Length and Connection come from here; a handler's own are left out.
void serialize(const Response& response, Framing framing, std::string& out);
void serialize_request(std::string_view method, std::string_view host, std::string_view target,
                       const Headers& headers, std::string_view body, std::string& out);

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 §5.6.7). Made once a second and thread.
std::string_view date_now();
std::string http_date(std::int64_t seconds);

}  // namespace muhur::http

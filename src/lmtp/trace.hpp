#pragma once
// The Received header that a server adds (RFC 5321 §4.4).

#include <cstdint>
#include <string>

namespace muhur::lmtp {

struct Trace {
  std::string client_name;     // of LHLO, checked
  std::string client_address;  // as the socket says
  std::string host_name;
  std::string id;
  std::string recipient;  // named only where there is one: others are nobody's business
  bool utf8 = false;
  std::int64_t now_ms = 0;
};
// Whole lines, each ending in CRLF.
std::string received_header(const Trace& trace);

// "Tue, 01 Dec 2026 09:05:03 +0000"
std::string date_of(std::int64_t unix_ms);

}  // namespace muhur::lmtp

#pragma once
// Makes the socket that a Listener accepts on. Private to net/.

#include "net/listener.hpp"

namespace muhur::net {

// A bound, listening, non-blocking, close-on-exec descriptor, TCP (SO_REUSEADDR; "::" hears IPv6 only) or
// Unix (a stale socket file is replaced, a live one is not). io names the address and a remedy.
Result<int> listening_socket(const Address& address, unsigned unix_mode);
std::string name_of(const Address& address);

}  // namespace muhur::net

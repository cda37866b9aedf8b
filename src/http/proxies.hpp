#pragma once
// Which peers are proxies of ours, and whom they speak for. Also for routes that only some
// networks may see.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "http/message.hpp"

namespace muhur::http {

class TrustedProxies {
 public:
  explicit TrustedProxies(const std::vector<std::string>& networks);

  bool contains(std::string_view address) const;
  // Sets peer, secure and via_trusted_proxy of a request that came in over `socket`. X-Forwarded-For is read
  // from the right: each address counts as long as the one to its right is trusted, so that what the client
  // itself wrote there never does.
  void apply(Request& request, const net::Peer& socket, bool socket_secure) const;

 private:
  struct Network {
    std::array<Byte, 16> address;  // IPv4 as ::ffff:a.b.c.d
    unsigned bits;
  };
  std::vector<Network> networks_;
  bool unix_ = false;
};

}  // namespace muhur::http

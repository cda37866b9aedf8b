#pragma once
// Which peers are proxies of ours, and whom they speak for. Also for routes that only some
// networks may see.

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/sync.hpp"
#include "http/message.hpp"

namespace muhur::http {

// Which header the proxies write. One that they do not write comes from the client as it is, so of two that
// are there only one may count.
enum class ProxyHeader {
  either,  // X-Forwarded-For and -Proto; Forwarded (RFC 7239) in a request that has neither of them
  x_forwarded_for,
  forwarded,
};

class TrustedProxies {
 public:
  explicit TrustedProxies(const std::vector<std::string>& networks, ProxyHeader header = ProxyHeader::either);

  bool contains(std::string_view address) const;
  // Sets peer, secure and via_trusted_proxy of a request that came in over `socket`. The header is read from
  // the right: each address counts as long as the one to its right is trusted, so that what the client itself
  // wrote there never does.
  void apply(Request& request, const net::Peer& socket, bool socket_secure) const;
  // Others from now on. Thread-safe with all of the above.
  void set(const std::vector<std::string>& networks, ProxyHeader header);

 private:
  struct Network {
    std::array<Byte, 16> address;  // IPv4 as ::ffff:a.b.c.d
    unsigned bits;
  };
  struct Rules {
    std::vector<Network> networks;
    bool unix_sockets = false;
    ProxyHeader header = ProxyHeader::either;
    bool contains(std::string_view address) const;
    void forward_for(Request& request) const;
    void x_forwarded_for(Request& request) const;
    void hop(Request& request, std::string_view node, bool& on) const;
  };
  std::shared_ptr<const Rules> rules() const;

  mutable Mutex mutex_;
  std::shared_ptr<const Rules> rules_ MUHUR_GUARDED_BY(mutex_);
};

}  // namespace muhur::http

#pragma once
// The network that a peer speaks from, for counting: an IPv4 address, or the /64 of an IPv6 address (one
// household or one virtual machine has at least that many).

#include <string>
#include <string_view>

namespace muhur::accounts {

struct Network {
  std::string name;       // "192.0.2.7", "2001:db8:1:2::/64", "local"
  bool is_local = false;  // loopback, a Unix socket, a command: a proxy of ours or the machine's owner
};

// `peer` as the servers write it: "192.0.2.7:4711", "[2001:db8::1]:993", an address alone; anything else is
// local.
Network network_of(std::string_view peer);

}  // namespace muhur::accounts

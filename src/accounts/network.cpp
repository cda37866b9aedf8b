#include "accounts/network.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace muhur::accounts {
namespace {

// "[v6]:port", "v4:port", "v6", "v4" -> the address alone.
std::string address_of(std::string_view peer) {
  if (peer.starts_with('[')) return std::string(peer.substr(1, peer.find(']') - 1));
  if (std::ranges::count(peer, ':') == 1) peer = peer.substr(0, peer.find(':'));
  return std::string(peer.substr(0, peer.find('%')));
}

Network from_v4(const std::uint8_t* address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, address, text.data(), text.size());
  return {text.data(), address[0] == 127};
}

}  // namespace

Network network_of(std::string_view peer) {
  const std::string address = address_of(peer.substr(0, 100));
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return from_v4(bytes.data());
  if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return {"local", true};
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) return from_v4(bytes.data() + 12);
  constexpr std::array<std::uint8_t, 16> kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  if (bytes == kLoopback) return {"::1", true};
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
  return {std::string(text.data()) + "/64", false};
}

}  // namespace muhur::accounts

#include "http/proxies.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <optional>

#include "base/log.hpp"
#include "base/unicode.hpp"
#include "http/server.hpp"

namespace muhur::http {
namespace {

using Address = std::array<Byte, 16>;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<Address> parse_address(std::string_view text) {
  const std::string name(text);
  Address address{};
  if (inet_pton(AF_INET6, name.c_str(), address.data()) == 1) return address;
  address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0};
  if (inet_pton(AF_INET, name.c_str(), address.data() + 12) == 1) return address;
  return std::nullopt;
}

std::string text_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  static constexpr Byte kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  const bool v4 = std::memcmp(address.data(), kMapped, sizeof kMapped) == 0;
  inet_ntop(v4 ? AF_INET : AF_INET6, address.data() + (v4 ? 12 : 0), text, sizeof text);
  return text;
}

// One entry of X-Forwarded-For: an address, perhaps in brackets, perhaps with a port.
std::optional<Address> parse_hop(std::string_view entry) {
  entry = trim(entry);
  if (entry.starts_with('[')) {
    const auto end = entry.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    return parse_address(entry.substr(1, end - 1));
  }
  if (std::ranges::count(entry, ':') == 1) entry = entry.substr(0, entry.find(':'));
  return parse_address(entry);
}

struct ParsedNetwork {
  Address address;
  unsigned bits;
};
std::optional<ParsedNetwork> parse_network(std::string_view text) {
  const auto slash = std::min(text.find('/'), text.size());
  const auto address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  const bool v4 = !text.substr(0, slash).contains(':');
  unsigned bits = v4 ? 32 : 128;
  if (slash < text.size()) {
    const std::string_view digits = text.substr(slash + 1);
    const unsigned most = bits;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc{} || end != digits.data() + digits.size() || bits > most) return std::nullopt;
  }
  return ParsedNetwork{*address, v4 ? bits + 96 : bits};
}

bool same_bits(const Address& a, const Address& b, unsigned bits) {
  if (std::memcmp(a.data(), b.data(), bits / 8) != 0) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || ((a[bits / 8] ^ b[bits / 8]) >> (8 - rest)) == 0;
}

}  // namespace

Result<void> check_network(std::string_view text) {
  if (text == "unix" || parse_network(text)) return {};
  return fail(Code::invalid, fmt::format("'{}' is no network", text),
              "write an address or a block such as 192.0.2.0/24, or unix");
}

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks) {
  for (const auto& text : networks) {
    if (text == "unix") {
      unix_ = true;
    } else if (const auto network = parse_network(text)) {
      networks_.push_back({network->address, network->bits});
    } else {
      log::warn("http", "a trusted proxy is no network and is not trusted", {{"network", text}});
    }
  }
}

bool TrustedProxies::contains(std::string_view address) const {
  if (address == "unix") return unix_;
  const auto parsed = parse_address(address);
  return parsed && std::ranges::any_of(networks_, [&](const Network& network) {
           return same_bits(network.address, *parsed, network.bits);
         });
}

void TrustedProxies::apply(Request& request, const net::Peer& socket, bool socket_secure) const {
  request.peer = socket;
  request.secure = socket_secure;
  request.via_trusted_proxy = contains(socket.address);
  if (!request.via_trusted_proxy) return;
  request.peer.loopback = false;  // whoever is behind a proxy is not on this machine for our purposes

  std::vector<std::string_view> hops;
  for (std::string_view value : request.headers.all("X-Forwarded-For")) {
    while (true) {
      const auto comma = value.find(',');
      hops.push_back(value.substr(0, comma));
      if (comma == std::string_view::npos) break;
      value.remove_prefix(comma + 1);
    }
  }
  for (auto hop = hops.rbegin(); hop != hops.rend() && contains(request.peer.address); ++hop) {
    const auto address = parse_hop(*hop);
    if (!address) break;
    request.peer = {text_of(*address), 0, false};
  }

  const auto protos = request.headers.all("X-Forwarded-Proto");
  if (protos.empty()) return;
  const std::string_view last = protos.back();
  const auto comma = last.rfind(',');
  request.secure =
      equals_ignoring_case(trim(comma == std::string_view::npos ? last : last.substr(comma + 1)), "https");
}

}  // namespace muhur::http

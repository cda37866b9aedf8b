#include "http/proxies.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <optional>

#include "base/log.hpp"
#include "base/unicode.hpp"
#include "http/forwarded.hpp"
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

// One entry of X-Forwarded-For, or a node of Forwarded: an address, perhaps in brackets, perhaps with a port.
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

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks, ProxyHeader header) {
  set(networks, header);
}

void TrustedProxies::set(const std::vector<std::string>& networks, ProxyHeader header) {
  auto rules = std::make_shared<Rules>();
  rules->header = header;
  for (const auto& text : networks) {
    if (text == "unix") {
      rules->unix_sockets = true;
    } else if (const auto network = parse_network(text)) {
      rules->networks.push_back({network->address, network->bits});
    } else {
      log::warn("http", "a trusted proxy is no network and is not trusted", {{"network", text}});
    }
  }
  const Lock lock(mutex_);
  rules_ = std::move(rules);
}

std::shared_ptr<const TrustedProxies::Rules> TrustedProxies::rules() const {
  const Lock lock(mutex_);
  return rules_;
}

bool TrustedProxies::Rules::contains(std::string_view address) const {
  if (address == "unix") return unix_sockets;
  const auto parsed = parse_address(address);
  return parsed && std::ranges::any_of(networks, [&](const Network& network) {
           return same_bits(network.address, *parsed, network.bits);
         });
}

bool TrustedProxies::contains(std::string_view address) const { return rules()->contains(address); }

// One step to the left, as long as whoever stands to the right may be believed.
void TrustedProxies::Rules::hop(Request& request, std::string_view node, bool& on) const {
  if (!on || !contains(request.peer.address)) return void(on = false);
  const auto address = parse_hop(node);
  if (!address) return void(on = false);
  request.peer = {text_of(*address), 0, false};
}

void TrustedProxies::Rules::x_forwarded_for(Request& request) const {
  std::vector<std::string_view> hops;
  for (std::string_view value : request.headers.all("X-Forwarded-For")) {
    while (true) {
      const auto comma = value.find(',');
      hops.push_back(value.substr(0, comma));
      if (comma == std::string_view::npos) break;
      value.remove_prefix(comma + 1);
    }
  }
  bool on = true;
  for (auto node = hops.rbegin(); node != hops.rend() && on; ++node) hop(request, *node, on);

  const auto protos = request.headers.all("X-Forwarded-Proto");
  if (protos.empty()) return;
  const std::string_view last = protos.back();
  const auto comma = last.rfind(',');
  request.secure =
      equals_ignoring_case(trim(comma == std::string_view::npos ? last : last.substr(comma + 1)), "https");
}

void TrustedProxies::Rules::forward_for(Request& request) const {
  const auto hops = parse_forwarded(request.headers.all("Forwarded"));
  if (!hops || hops->empty()) return;
  if (!hops->back().proto.empty()) request.secure = equals_ignoring_case(hops->back().proto, "https");
  bool on = true;
  for (auto one = hops->rbegin(); one != hops->rend() && on; ++one) hop(request, one->by_for, on);
}

void TrustedProxies::apply(Request& request, const net::Peer& socket, bool socket_secure) const {
  const auto now = rules();
  request.peer = socket;
  request.secure = socket_secure;
  request.via_trusted_proxy = now->contains(socket.address);
  if (!request.via_trusted_proxy) return;
  request.peer.loopback = false;  // whoever is behind a proxy is not on this machine for our purposes
  const bool has_x =
      request.headers.count("X-Forwarded-For") > 0 || request.headers.count("X-Forwarded-Proto") > 0;
  if (now->header == ProxyHeader::forwarded || (now->header == ProxyHeader::either && !has_x))
    now->forward_for(request);
  else
    now->x_forwarded_for(request);
}

}  // namespace muhur::http

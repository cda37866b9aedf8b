#pragma once
// The Forwarded header of RFC 7239: for whom a proxy speaks. Private to http/.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muhur::http {

// What one proxy added, from the left: the farthest one stands first.
struct ForwardedHop {
  std::string by_for;  // the node of `for`: "192.0.2.43", "[2001:db8::1]:99", "unknown", "_hidden"; or empty
  std::string proto;   // "https"; empty when it does not say
};

// All fields of a request, in order. nullopt: not well-formed, and nothing in it counts.
std::optional<std::vector<ForwardedHop>> parse_forwarded(const std::vector<std::string_view>& fields);

}  // namespace muhur::http

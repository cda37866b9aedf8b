// Forwarded   = 1#forwarded-element
// element     = [ pair ] *( ";" [ pair ] )
// pair        = token "=" ( token / quoted-string )
#include "http/forwarded.hpp"

#include <algorithm>

#include "base/unicode.hpp"

namespace muhur::http {
namespace {

constexpr std::size_t kMostHops = 64;

bool is_token(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void spaces() {
    while (take(' ') || take('\t')) {
    }
  }
  std::string_view token() {
    const auto end = std::ranges::find_if_not(rest_, is_token);
    const auto size = static_cast<std::size_t>(end - rest_.begin());
    const auto found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }
  // A token or what stands in quotes, the first of which was not taken yet.
  std::optional<std::string> value() {
    if (!take('"')) {
      const auto word = token();
      return word.empty() ? std::nullopt : std::optional(std::string(word));
    }
    std::string text;
    while (!rest_.empty()) {
      if (take('"')) return text;
      if (take('\\') && rest_.empty()) return std::nullopt;
      text += rest_.front();
      rest_.remove_prefix(1);
    }
    return std::nullopt;
  }

 private:
  std::string_view rest_;
};

// `any`: whether it says anything at all.
bool read_hop(Reader& in, ForwardedHop& hop, bool& any) {
  bool has_for = false, has_proto = false;
  while (true) {
    in.spaces();
    if (const auto name = in.token(); !name.empty()) {
      if (!in.take('=')) return false;
      auto value = in.value();
      if (!value) return false;
      any = true;
      // RFC 7239 §4: each parameter at most once.
      if (equals_ignoring_case(name, "for")) {
        if (std::exchange(has_for, true)) return false;
        hop.by_for = std::move(*value);
      } else if (equals_ignoring_case(name, "proto")) {
        if (std::exchange(has_proto, true)) return false;
        hop.proto = std::move(*value);
      }
      in.spaces();
    }
    if (!in.take(';')) return true;
  }
}

}  // namespace

std::optional<std::vector<ForwardedHop>> parse_forwarded(const std::vector<std::string_view>& fields) {
  std::vector<ForwardedHop> hops;
  for (const auto field : fields) {
    Reader in(field);
    while (true) {
      bool any = false;
      if (hops.size() >= kMostHops || !read_hop(in, hops.emplace_back(), any)) return std::nullopt;
      if (!any) hops.pop_back();  // an empty element of a list counts for nothing (RFC 9110 §5.6.1)
      if (in.done()) break;
      if (!in.take(',')) return std::nullopt;
    }
  }
  return hops;
}

}  // namespace muhur::http

#include "imap/list_pattern.hpp"

#include <string>
#include <vector>

#include "base/unicode.hpp"

namespace muhur::imap {
namespace {

// reached[i]: the first i octets of the pattern match what of the path was read so far.
bool matches_exactly(std::string_view pattern, std::string_view path) {
  std::vector<char> reached(pattern.size() + 1, 0), next(pattern.size() + 1, 0);
  const auto pass_wildcards = [&](std::vector<char>& set) {
    for (std::size_t i = 0; i < pattern.size(); ++i)
      if (set[i] && (pattern[i] == '*' || pattern[i] == '%')) set[i + 1] = 1;
  };
  reached[0] = 1;
  pass_wildcards(reached);
  for (const char c : path) {
    std::fill(next.begin(), next.end(), 0);
    bool any = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (!reached[i]) continue;
      if (pattern[i] == '*' || (pattern[i] == '%' && c != kSeparator))
        next[i] = 1;
      else if (pattern[i] == c)
        next[i + 1] = 1;
      else
        continue;
      any = true;
    }
    if (!any) return false;
    pass_wildcards(next);
    reached.swap(next);
  }
  return reached[pattern.size()] != 0;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view path) {
  if (matches_exactly(pattern, path)) return true;
  return path == "INBOX" && matches_exactly(to_upper_ascii(pattern), path);
}

}  // namespace muhur::imap

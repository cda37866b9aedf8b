#include "imap/list_pattern.hpp"

#include <algorithm>

#include "base/unicode.hpp"

namespace muhur::imap {
namespace {

bool is_wild(char c) { return c == '*' || c == '%'; }

// "%%" is "%", and any run with a '*' in it is "*".
std::string joined_wildcards(std::string_view written) {
  std::string out;
  for (const char c : written) {
    if (!out.empty() && is_wild(c) && is_wild(out.back()))
      out.back() = out.back() == '*' || c == '*' ? '*' : '%';
    else
      out.push_back(c);
  }
  return out;
}

void set(std::vector<std::uint64_t>& bits, std::size_t at) { bits[at / 64] |= std::uint64_t{1} << at % 64; }

}  // namespace

ListPattern::ListPattern(std::string_view written) : text_(joined_wildcards(written)) {
  const std::size_t words = text_.size() / 64 + 1;  // one place more than octets: the end
  stars_.resize(words);
  percents_.resize(words);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (is_wild(text_[i])) {
      set(text_[i] == '*' ? stars_ : percents_, i);
    } else {
      Bits& where = literals_[static_cast<unsigned char>(text_[i])];
      where.resize(words);
      set(where, i);
    }
  }
}

// From the places before an octet to those after it. A wildcard may take the octet and stay; and since it may
// also be nothing, whoever stands before one stands behind it too. false: nowhere any more.
bool ListPattern::advance(Bits& places, char octet) const {
  const Bits& literal = literals_[static_cast<unsigned char>(octet)];
  std::uint64_t moved_over = 0, passed_over = 0, any = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint64_t takes = literal.empty() ? 0 : places[i] & literal[i];
    const std::uint64_t stays = places[i] & (octet == kSeparator ? stars_[i] : stars_[i] | percents_[i]);
    std::uint64_t now = takes << 1 | moved_over | stays;
    moved_over = takes >> 63;
    const std::uint64_t passes = now & (stars_[i] | percents_[i]);
    now |= passes << 1 | passed_over;
    passed_over = passes >> 63;
    places[i] = now;
    any |= now;
  }
  return any != 0;
}

bool ListPattern::matches_exactly(std::string_view path) const {
  Bits places(stars_.size());
  set(places, 0);
  if (!text_.empty() && is_wild(text_[0])) set(places, 1);
  for (const char octet : path)
    if (!advance(places, octet)) return false;
  return (places[text_.size() / 64] >> text_.size() % 64 & 1) != 0;
}

bool ListPattern::matches(std::string_view path) const {
  if (matches_exactly(path)) return true;
  return path == "INBOX" && ListPattern(to_upper_ascii(text_)).matches_exactly(path);
}

}  // namespace muhur::imap

#include "imap/sequence.hpp"

#include <algorithm>
#include <charconv>

#include "imap/respond.hpp"

namespace muhur::imap {
namespace {

bool take_number(std::string_view& text, std::uint32_t& number) {
  if (text.starts_with('*')) {
    text.remove_prefix(1);
    number = SequenceSet::kStar;
    return true;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::optional<SequenceSet> parse_sequence_set(std::string_view text) {
  SequenceSet set;
  while (true) {
    SequenceSet::Range range{};
    if (!take_number(text, range.first)) return std::nullopt;
    range.last = range.first;
    if (text.starts_with(':')) {
      text.remove_prefix(1);
      if (!take_number(text, range.last)) return std::nullopt;
    }
    set.ranges.push_back(range);
    if (text.empty()) return set;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
}

bool SequenceSet::has_star() const {
  return std::ranges::any_of(ranges, [](const Range& r) { return r.first == kStar || r.last == kStar; });
}

mailbox::UidSet SequenceSet::normalized(std::uint32_t star) const {
  mailbox::UidSet out;
  for (auto [first, last] : ranges) {
    if (star == 0 && (first == kStar || last == kStar)) continue;
    if (first == kStar) first = star;
    if (last == kStar) last = star;
    if (first > last) std::swap(first, last);
    out.push_back({first, last});
  }
  std::ranges::sort(out, {}, &mailbox::UidRange::first);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (out[i].first <= out[kept].last || out[i].first - out[kept].last == 1)
      out[kept].last = std::max(out[kept].last, out[i].last);
    else
      out[++kept] = out[i];
  }
  if (!out.empty()) out.resize(kept + 1);
  return out;
}

void append_set(std::string& out, std::span<const std::uint32_t> ascending) {
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i;
    while (end + 1 < ascending.size() && ascending[end + 1] == ascending[end] + 1) ++end;
    if (i > 0) out.push_back(',');
    append_number(out, ascending[i]);
    if (end > i) {
      out.push_back(':');
      append_number(out, ascending[end]);
    }
    i = end + 1;
  }
}

bool contains(const mailbox::UidSet& set, std::uint32_t number) {
  const auto after = std::ranges::upper_bound(set, number, {}, &mailbox::UidRange::first);
  return after != set.begin() && number <= std::prev(after)->last;
}

}  // namespace muhur::imap

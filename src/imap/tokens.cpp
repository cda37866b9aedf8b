#include "imap/tokens.hpp"

#include <charconv>

#include "base/secret.hpp"
#include "base/unicode.hpp"
#include "imap/limits.hpp"

namespace muhur::imap {
namespace {

// "{" up to 20 digits ["+"] "}": what of a dropped line has to be kept to see a literal announced.
constexpr std::size_t kTail = 32;

struct Announced {
  enum class Kind { none, literal, absurd } kind = Kind::none;
  std::uint64_t size = 0;
  bool waits = true;  // no '+': the client waits for us
};

Announced literal_at_end(std::string_view line) {
  if (line.empty() || line.back() != '}') return {};
  const std::size_t open = line.rfind('{');
  if (open == std::string_view::npos) return {};
  std::string_view digits = line.substr(open + 1, line.size() - open - 2);
  Announced got;
  if (!digits.empty() && digits.back() == '+') {
    got.waits = false;
    digits.remove_suffix(1);
  }
  if (digits.empty()) return {};
  for (const char c : digits)
    if (c < '0' || c > '9') return {};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), got.size);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  got.kind = whole && got.size <= INT64_MAX ? Announced::Kind::literal : Announced::Kind::absurd;
  return got;
}

}  // namespace

CommandReader::State CommandReader::feed(std::string_view input, std::size_t& taken) {
  taken = 0;
  while (taken < input.size()) {
    const std::string_view rest = input.substr(taken);
    if (literal_left_ > 0) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), literal_left_));
      if (refusal_ == Refusal::none) text_.append(rest.substr(0, size));
      literal_left_ -= size;
      taken += size;
      continue;
    }
    const std::size_t feed_at = rest.find('\n');
    const std::string_view piece =
        rest.substr(0, feed_at == std::string_view::npos ? rest.size() : feed_at + 1);
    taken += piece.size();
    take_line(piece);
    if (swallowed_ > limits_.swallow) return State::fatal;
    if (feed_at == std::string_view::npos) return State::need_more;
    if (const State state = end_of_line(); state != State::need_more) return state;
  }
  return State::need_more;
}

void CommandReader::take_line(std::string_view piece) {
  if (refusal_ == Refusal::none) {
    const std::size_t room = (bare_line_ > 0 ? bare_line_ : limits_.command) - command_octets_;
    const std::size_t fits = std::min(piece.size(), room);
    text_.append(piece.substr(0, fits));
    command_octets_ += fits;
    if (fits == piece.size()) return;
    tail_ = text_.substr(std::max(line_start_, text_.size() - std::min(text_.size(), kTail)));
    refuse(Refusal::command_too_long);
    piece.remove_prefix(fits);
  }
  swallowed_ += piece.size();
  tail_.append(piece.substr(piece.size() - std::min(piece.size(), kTail)));
  if (tail_.size() > kTail) tail_.erase(0, tail_.size() - kTail);
}

CommandReader::State CommandReader::end_of_line() {
  std::string& held = refusal_ == Refusal::none ? text_ : tail_;
  held.pop_back();  // LF
  const std::size_t start = refusal_ == Refusal::none ? line_start_ : 0;
  if (held.size() > start && held.back() == '\r') held.pop_back();
  const std::string_view line = std::string_view(held).substr(start);

  const State done = refusal_ == Refusal::none ? State::command : State::refused;
  if (bare_line_ > 0) return done;
  const Announced literal = literal_at_end(line);
  if (literal.kind == Announced::Kind::absurd) {
    if (!literal.waits) return State::fatal;
    refuse(Refusal::literal_too_big);
    return State::refused;
  }
  if (literal.kind == Announced::Kind::literal) return begin_literal(literal.size, literal.waits);
  if (refusal_ == Refusal::none && text_.empty()) {
    command_octets_ = 0;  // a bare line break between commands
    return State::need_more;
  }
  return done;
}

CommandReader::State CommandReader::begin_literal(std::uint64_t size, bool waits) {
  tail_.clear();
  if (refusal_ == Refusal::none) {
    const bool append = is_append();
    const std::uint64_t limit = append ? limits_.append : limits_.literals;
    if (size > limit || literal_octets_ > limit - size)
      refuse(append ? Refusal::message_too_big : Refusal::literal_too_big);
    else if (append && !take_memory(size))
      refuse(Refusal::too_busy);
  }
  if (refusal_ != Refusal::none) {
    if (waits) return State::refused;  // the client sends nothing more of this command
    if (size > limits_.swallow || swallowed_ > limits_.swallow - size) return State::fatal;
    swallowed_ += size;
    literal_left_ = size;
    return State::need_more;
  }
  text_.append("\r\n");
  // Untouched memory costs nothing, and growing by doubling would copy a large message several times.
  text_.reserve(text_.size() + static_cast<std::size_t>(size) + 64);
  literal_octets_ += size;
  literal_left_ = size;
  line_start_ = text_.size() + static_cast<std::size_t>(size);
  return waits ? State::continuation : State::need_more;
}

bool CommandReader::take_memory(std::uint64_t octets) {
  for (std::size_t i = 0; i < budgets_.size(); ++i)
    if (budgets_[i] && !shares_[i].grow(*budgets_[i], octets)) return false;
  return true;
}

void CommandReader::refuse(Refusal why) {
  refusal_ = why;
  shares_ = {};
  line_start_ = 0;
  const auto named = std::string(tag());
  text_.assign(named);
  text_.push_back(' ');
  text_.shrink_to_fit();
}

bool CommandReader::is_append() const {
  const std::size_t space = text_.find(' ');
  return space != std::string::npos &&
         starts_with_ignoring_case(std::string_view(text_).substr(space + 1), "APPEND ");
}

std::string_view CommandReader::tag() const {
  const std::string_view text = text_;
  const std::size_t end = text.find(' ');
  if (end == 0 || end == std::string_view::npos || end > 100) return "*";
  for (const char c : text.substr(0, end))
    if (c <= ' ' || static_cast<unsigned char>(c) >= 0x7f || std::string_view("(){%\"\\+").contains(c))
      return "*";
  return text.substr(0, end);
}

void CommandReader::expect_line(std::size_t max_size) { bare_line_ = max_size; }

void CommandReader::next(bool wipe_it) {
  if (wipe_it) {
    wipe({reinterpret_cast<Byte*>(text_.data()), text_.size()});
    wipe({reinterpret_cast<Byte*>(tail_.data()), tail_.size()});
  }
  text_.clear();
  tail_.clear();
  if (text_.capacity() > 4 * kRestingCapacity) text_.shrink_to_fit();
  line_start_ = command_octets_ = 0;
  literal_octets_ = literal_left_ = swallowed_ = 0;
  bare_line_ = 0;
  refusal_ = Refusal::none;
  shares_ = {};
}

}  // namespace muhur::imap

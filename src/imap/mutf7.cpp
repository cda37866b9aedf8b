#include "imap/mutf7.hpp"

#include <array>
#include <cstdint>

#include "base/unicode.hpp"

namespace muhur::imap {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";

bool is_direct(std::uint32_t c) { return c >= 0x20 && c <= 0x7e; }

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0 | c >> 6));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | c >> 12));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xf0 | c >> 18));
    out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  }
}

// The shifted text between '&' and '-', to UTF-8.
bool decode_shift(std::string_view base64, std::string& out) {
  std::uint32_t bits = 0, high = 0;
  unsigned have = 0;
  for (const char c : base64) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    have += 6;
    if (have < 16) continue;
    have -= 16;
    const std::uint32_t unit = bits >> have & 0xffff;
    bits &= (1u << have) - 1;
    if (high != 0) {
      if (unit < 0xdc00 || unit > 0xdfff) return false;
      append_utf8(out, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
      high = 0;
    } else if (unit >= 0xd800 && unit <= 0xdbff) {
      high = unit;
    } else if ((unit >= 0xdc00 && unit <= 0xdfff) || is_direct(unit)) {
      return false;
    } else {
      append_utf8(out, unit);
    }
  }
  return high == 0 && have < 6 && bits == 0 && !base64.empty();
}

// The code point at `at`, moved behind it. The input is valid UTF-8.
std::uint32_t next_code_point(std::string_view utf8, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(utf8[at++]);
  const int more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  std::uint32_t c = more == 0 ? lead : lead & (0x3fu >> more);
  for (int i = 0; i < more && at < utf8.size(); ++i)
    c = c << 6 | (static_cast<unsigned char>(utf8[at++]) & 0x3f);
  return c;
}

class ShiftWriter {
 public:
  explicit ShiftWriter(std::string& out) : out_(out) { out_.push_back('&'); }
  void unit(std::uint32_t u) {
    bits_ = bits_ << 16 | u;
    have_ += 16;
    while (have_ >= 6) {
      have_ -= 6;
      out_.push_back(kAlphabet[bits_ >> have_ & 0x3f]);
    }
    bits_ &= (1u << have_) - 1;
  }
  void code_point(std::uint32_t c) {
    if (c < 0x10000) return unit(c);
    unit(0xd800 + ((c - 0x10000) >> 10));
    unit(0xdc00 + ((c - 0x10000) & 0x3ff));
  }
  void end() {
    if (have_ > 0) out_.push_back(kAlphabet[bits_ << (6 - have_) & 0x3f]);
    out_.push_back('-');
  }

 private:
  std::string& out_;
  std::uint64_t bits_ = 0;
  unsigned have_ = 0;
};

}  // namespace

std::optional<std::string> from_mutf7(std::string_view wire) {
  std::string out;
  bool after_shift = false;
  for (std::size_t at = 0; at < wire.size(); ++at) {
    const char c = wire[at];
    if (!is_direct(static_cast<unsigned char>(c))) return std::nullopt;
    if (c != '&') {
      out.push_back(c);
      after_shift = false;
      continue;
    }
    const std::size_t end = wire.find('-', at);
    if (end == std::string_view::npos) return std::nullopt;
    if (end == at + 1) {
      out.push_back('&');
      after_shift = false;
    } else {
      if (after_shift || !decode_shift(wire.substr(at + 1, end - at - 1), out)) return std::nullopt;
      after_shift = true;
    }
    at = end;
  }
  return out;
}

std::string to_mutf7(std::string_view utf8) {
  std::string out;
  for (std::size_t at = 0; at < utf8.size();) {
    const auto c = static_cast<unsigned char>(utf8[at]);
    if (is_direct(c)) {
      out.push_back(static_cast<char>(c));
      if (c == '&') out.push_back('-');
      ++at;
      continue;
    }
    ShiftWriter shift(out);
    while (at < utf8.size() && !is_direct(static_cast<unsigned char>(utf8[at])))
      shift.code_point(next_code_point(utf8, at));
    shift.end();
  }
  return out;
}

std::optional<std::string> text_of(std::string_view wire) {
  std::optional<std::string> text;
  if (is_ascii(wire))
    text = from_mutf7(wire);
  else if (is_utf8(wire))
    text = std::string(wire);
  return text ? to_nfc(*text) : std::nullopt;
}

std::optional<std::string> path_of(std::string_view wire) {
  auto path = text_of(wire);
  if (!path) return std::nullopt;
  if (path->size() > 1 && path->ends_with('/')) path->pop_back();
  const std::size_t level = path->find('/');
  if (equals_ignoring_case(std::string_view(*path).substr(0, level), "INBOX")) path->replace(0, 5, "INBOX");
  return path;
}

}  // namespace muhur::imap

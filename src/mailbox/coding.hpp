#pragma once
// The small binary forms inside the mailbox: unsigned varints (LEB128, seven bits a byte, low first) and
// texts with their length before them. The Reader never trusts what is stored: it stays within its bytes,
// and the first thing that cannot be makes it fail for good (all it gives afterwards is zero or empty).

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace muhur::mailbox {

class Writer {
 public:
  void u8(std::uint8_t value) { out_.push_back(value); }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<Byte>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<Byte>(value));
  }
  // Small magnitudes of either sign stay small (zigzag).
  void signed_varint(std::int64_t value) {
    varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void raw(ByteView bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  void text(std::string_view value) {
    varint(value.size());
    raw(as_bytes(value));
  }
  // 0: none; else the length plus one, then the text.
  void optional_text(const std::optional<std::string>& value) {
    if (!value) return varint(0);
    varint(value->size() + 1);
    raw(as_bytes(*value));
  }
  Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

class Reader {
 public:
  explicit Reader(ByteView bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

  std::uint8_t u8() {
    if (rest_.empty()) return fail(), 0;
    const std::uint8_t value = rest_[0];
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint64_t varint(std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const Byte byte = rest_[0];
      rest_ = rest_.subspan(1);
      if (shift == 63 && byte > 1) break;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (value > max) break;
        return value;
      }
    }
    return fail(), 0;
  }
  std::int64_t signed_varint() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  // How many of something follow, each of which takes at least `min_bytes`: never more than can be there.
  std::size_t count(std::size_t min_bytes) {
    const std::uint64_t value = varint();
    if (value > rest_.size() / min_bytes) return fail(), 0;
    return value;
  }
  std::string_view view(std::uint64_t size) {
    if (size > rest_.size()) return fail(), std::string_view();
    const std::string_view value = as_text(rest_.first(size));
    rest_ = rest_.subspan(size);
    return value;
  }
  std::string text() { return std::string(view(varint())); }
  std::optional<std::string> optional_text() {
    const std::uint64_t size = varint();
    if (size == 0) return std::nullopt;
    return std::string(view(size - 1));
  }
  ByteView rest() const { return rest_; }

 private:
  ByteView rest_;
  bool ok_ = true;
};

}  // namespace muhur::mailbox

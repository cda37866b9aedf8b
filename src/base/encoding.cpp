#include "base/encoding.hpp"

#include <array>

namespace muhur {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kCrockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t kCrockfordGroup = 4;

using Table = std::array<std::int8_t, 256>;

constexpr Table table_of(std::string_view alphabet) {
  Table table{};
  table.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  return table;
}

constexpr Table crockford_table() {
  Table table = table_of(kCrockford);
  for (char c = 'A'; c <= 'Z'; ++c)
    table[static_cast<unsigned char>(c - 'A' + 'a')] = table[static_cast<unsigned char>(c)];
  for (const char c : {'O', 'o'}) table[static_cast<unsigned char>(c)] = 0;
  for (const char c : {'I', 'i', 'L', 'l'}) table[static_cast<unsigned char>(c)] = 1;
  return table;
}

constexpr Table kFromBase64 = table_of(kBase64);
constexpr Table kFromBase64Url = table_of(kBase64Url);
constexpr Table kFromCrockford = crockford_table();

std::string encode64(ByteView bytes, std::string_view alphabet, bool pad) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const unsigned v = unsigned{bytes[i]} << 16 | unsigned{bytes[i + 1]} << 8 | bytes[i + 2];
    out += alphabet[v >> 18];
    out += alphabet[v >> 12 & 63];
    out += alphabet[v >> 6 & 63];
    out += alphabet[v & 63];
  }
  const std::size_t rest = bytes.size() - i;
  if (rest == 1) {
    out += alphabet[bytes[i] >> 2];
    out += alphabet[(bytes[i] & 3) << 4];
    if (pad) out += "==";
  } else if (rest == 2) {
    const unsigned v = unsigned{bytes[i]} << 8 | bytes[i + 1];
    out += alphabet[v >> 10];
    out += alphabet[v >> 4 & 63];
    out += alphabet[(v & 15) << 2];
    if (pad) out += '=';
  }
  return out;
}

// `text` has no padding any more.
std::optional<Bytes> decode64(std::string_view text, const Table& table) {
  if (text.size() % 4 == 1) return std::nullopt;
  Bytes out;
  out.reserve(text.size() * 3 / 4);
  unsigned bits = 0;
  unsigned have = 0;
  for (const char c : text) {
    const int value = table[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFFFF;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out.push_back(static_cast<Byte>(bits >> have));
    }
  }
  if ((bits & ((1U << have) - 1)) != 0) return std::nullopt;  // one text for one value
  return out;
}

}  // namespace

std::string to_hex(ByteView bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const Byte b : bytes) {
    out += kHex[b >> 4];
    out += kHex[b & 15];
  }
  return out;
}

std::optional<Bytes> from_hex(std::string_view text) {
  static constexpr Table table = [] {
    Table t = table_of(kHex);
    for (char c = 'A'; c <= 'F'; ++c)
      t[static_cast<unsigned char>(c)] = static_cast<std::int8_t>(c - 'A' + 10);
    return t;
  }();
  if (text.size() % 2 != 0) return std::nullopt;
  Bytes out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = table[static_cast<unsigned char>(text[i])];
    const int low = table[static_cast<unsigned char>(text[i + 1])];
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<Byte>(high << 4 | low));
  }
  return out;
}

std::string to_base64(ByteView bytes) { return encode64(bytes, kBase64, true); }

std::optional<Bytes> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode64(text, kFromBase64);
}

std::string to_base64url(ByteView bytes) { return encode64(bytes, kBase64Url, false); }

std::optional<Bytes> from_base64url(std::string_view text) { return decode64(text, kFromBase64Url); }

std::string to_crockford(ByteView bytes) {
  std::string out;
  unsigned bits = 0;
  unsigned have = 0;
  std::size_t letters = 0;
  const auto add = [&](unsigned value) {
    if (letters > 0 && letters % kCrockfordGroup == 0) out += '-';
    out += kCrockford[value & 31];
    ++letters;
  };
  for (const Byte b : bytes) {
    bits = (bits << 8 | b) & 0xFFFF;
    have += 8;
    while (have >= 5) {
      have -= 5;
      add(bits >> have);
    }
  }
  if (have > 0) add(bits << (5 - have));
  return out;
}

std::optional<Bytes> from_crockford(std::string_view text) {
  Bytes out;
  unsigned bits = 0;
  unsigned have = 0;
  for (const char c : text) {
    if (c == '-' || c == ' ') continue;
    const int value = kFromCrockford[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 5 | static_cast<unsigned>(value)) & 0xFFFF;
    have += 5;
    if (have >= 8) {
      have -= 8;
      out.push_back(static_cast<Byte>(bits >> have));
    }
  }
  // A whole letter too many, or bits that no encoder writes.
  if (have >= 5 || (bits & ((1U << have) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace muhur

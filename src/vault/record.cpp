#include "vault/record.hpp"

#include <bit>

#include "vault/btree_page.hpp"

namespace muhur::vault {
namespace {

std::int64_t signed_of(ByteView bytes) {
  std::uint64_t value = !bytes.empty() && (bytes[0] & 0x80) ? ~0ULL : 0;
  for (const Byte byte : bytes) value = value << 8 | byte;
  return static_cast<std::int64_t>(value);
}

// Serial types 1 to 6 are integers of that many bytes, 7 a double.
constexpr std::size_t kSizes[] = {0, 1, 2, 3, 4, 6, 8, 8};

bool take_field(std::uint64_t type, ByteView& body, Field& out) {
  const std::uint64_t size = type >= 12 ? (type - 12) / 2 : type < 8 ? kSizes[type] : 0;
  if (size > body.size()) return false;
  const ByteView bytes = body.first(size);
  body = body.subspan(size);
  if (type == 0)
    out = std::monostate();
  else if (type <= 6)
    out = signed_of(bytes);
  else if (type == 7)
    out = std::bit_cast<double>(load_be64(bytes.data()));
  else if (type <= 9)
    out = static_cast<std::int64_t>(type - 8);
  else if (type <= 11)
    return false;  // reserved
  else if (type % 2 == 0)
    out = bytes;
  else
    out = as_text(bytes);
  return true;
}

}  // namespace

bool parse_record(ByteView payload, std::vector<Field>& out) {
  out.clear();
  ByteView header = payload;
  std::uint64_t header_size = 0;
  if (!take_varint(header, header_size) || header_size > payload.size()) return false;
  const std::size_t size_bytes = payload.size() - header.size();
  if (header_size < size_bytes) return false;
  header = header.first(header_size - size_bytes);
  ByteView body = payload.subspan(header_size);
  while (!header.empty()) {
    std::uint64_t type = 0;
    if (!take_varint(header, type) || !take_field(type, body, out.emplace_back())) return false;
  }
  return true;
}

}  // namespace muhur::vault

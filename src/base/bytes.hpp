#pragma once
// Views over bytes and loads and stores of fixed endianness. Nothing here allocates but Bytes.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muhur {

using Byte = std::uint8_t;
using Bytes = std::vector<Byte>;
using ByteView = std::span<const Byte>;
using MutableBytes = std::span<Byte>;

// The same bytes seen the other way. The view lives as long as what it looks at.
inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline Bytes to_bytes(std::string_view text) { return {text.begin(), text.end()}; }
inline std::string to_string(ByteView bytes) { return std::string(as_text(bytes)); }

namespace detail {
template <class T>
T load(const Byte* at, std::endian order) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return order == std::endian::native ? value : std::byteswap(value);
}
template <class T>
void store(Byte* at, T value, std::endian order) {
  if (order != std::endian::native) value = std::byteswap(value);
  std::memcpy(at, &value, sizeof value);
}
}  // namespace detail

inline std::uint16_t load_be16(const Byte* at) { return detail::load<std::uint16_t>(at, std::endian::big); }
inline std::uint32_t load_be32(const Byte* at) { return detail::load<std::uint32_t>(at, std::endian::big); }
inline std::uint64_t load_be64(const Byte* at) { return detail::load<std::uint64_t>(at, std::endian::big); }
inline std::uint32_t load_le32(const Byte* at) {
  return detail::load<std::uint32_t>(at, std::endian::little);
}
inline std::uint64_t load_le64(const Byte* at) {
  return detail::load<std::uint64_t>(at, std::endian::little);
}
inline void store_be16(Byte* at, std::uint16_t v) { detail::store(at, v, std::endian::big); }
inline void store_be32(Byte* at, std::uint32_t v) { detail::store(at, v, std::endian::big); }
inline void store_be64(Byte* at, std::uint64_t v) { detail::store(at, v, std::endian::big); }
inline void store_le32(Byte* at, std::uint32_t v) { detail::store(at, v, std::endian::little); }
inline void store_le64(Byte* at, std::uint64_t v) { detail::store(at, v, std::endian::little); }

}  // namespace muhur

// The sum computed in four lanes, against SQLite's definition taken word for word.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "vault/wal_format.hpp"

namespace muhur::vault::testing {
namespace {

void word_by_word(bool big_endian, ByteView bytes, std::uint32_t sum[2]) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const Byte* const at = bytes.data() + i;
    sum[0] += (big_endian ? load_be32(at) : load_le32(at)) + sum[1];
    sum[1] += (big_endian ? load_be32(at + 4) : load_le32(at + 4)) + sum[0];
  }
}

TEST(WalChecksum, IsSqlitesForEveryPageSizeAndHeaderAndByteOrder) {
  std::vector<std::size_t> sizes{0, 8, 24, 504, 520, 1536};
  for (std::size_t page = 512; page <= 65536; page *= 2) sizes.push_back(page);
  for (const std::size_t size : sizes) {
    Bytes bytes(size);
    fill_random(bytes);
    for (const bool big_endian : {false, true}) {
      std::uint32_t wanted[2] = {0x12345678, 0xfedcba98};
      std::uint32_t got[2] = {wanted[0], wanted[1]};
      word_by_word(big_endian, bytes, wanted);
      wal_checksum(big_endian, bytes, got);
      EXPECT_EQ(got[0], wanted[0]) << size << (big_endian ? " big" : " little");
      EXPECT_EQ(got[1], wanted[1]) << size << (big_endian ? " big" : " little");
    }
  }
}

TEST(WalChecksum, ChangesWithEachByte) {
  Bytes bytes(4096);
  fill_random(bytes);
  std::uint32_t before[2] = {1, 2};
  wal_checksum(false, bytes, before);
  for (const std::size_t at : {0, 7, 1023, 1024, 2048, 3072, 4095}) {
    Bytes changed = bytes;
    changed[at] ^= 0x40;
    std::uint32_t after[2] = {1, 2};
    wal_checksum(false, changed, after);
    EXPECT_FALSE(after[0] == before[0] && after[1] == before[1]) << at;
  }
}

}  // namespace
}  // namespace muhur::vault::testing

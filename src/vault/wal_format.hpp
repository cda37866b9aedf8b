#pragma once
// The WAL file and the head of the WAL-index, as SQLite documents them (sqlite.org/walformat.html).
// Private to the vault.
//
//   wal    := header[32] frame*
//   header := magic[4] version[4] page size[4] checkpoint[4] salt[8] sum[8]
//   frame  := page number[4] commit size[4] salt[8] sum[8] page            (the first 24: frame header)
//   sum of a frame chains from the one before (the header's for the first) over its first 8 bytes and its
//   page; in words whose byte order the magic's lowest bit tells (1: big-endian).

#include "base/bytes.hpp"

namespace muhur::vault {

inline constexpr int kWalHeader = 32;
inline constexpr int kWalHeaderSum = 24;
inline constexpr int kFrameHeader = 24;
inline constexpr int kFrameSum = 16;
inline constexpr std::uint32_t kWalMagic = 0x377f0682;  // lowest bit: words are big-endian

// WAL-index: two copies of this header, the second written first.
inline constexpr int kIndexHeader = 48;
inline constexpr int kIndexMaxFrame = 16;
inline constexpr int kIndexFrameSum = 24;
inline constexpr int kIndexSum = 40;
inline constexpr int kWriteLock = 0;  // slots of the WAL-index's locks
inline constexpr int kCheckpointLock = 1;

// Continues `sum` over `bytes`, whose size is a multiple of 8.
void wal_checksum(bool big_endian, ByteView bytes, std::uint32_t sum[2]);

}  // namespace muhur::vault

#pragma once
// The counters behind cipher_figures() (vault/vfs.hpp). Private to the vault.

#include <atomic>
#include <cstdint>

namespace muhur::vault {

struct Counter {
  void add(std::uint64_t n = 1) { value.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t read() const { return value.load(std::memory_order_relaxed); }
  alignas(64) std::atomic<std::uint64_t> value{0};  // a cache line each: threads do not share it by chance
};

struct Counters {
  Counter pages_encrypted, pages_decrypted, bad_tags, wal_frames, temp_blocks;
};
inline Counters counters;

}  // namespace muhur::vault

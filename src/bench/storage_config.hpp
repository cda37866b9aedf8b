#pragma once
// What `muhur bench storage` measures: the seed's ten configurations, in its order, and those it lacks.
//
// The seed is Forward Email's published SQLite benchmark. It sets auto_vacuum after journal_mode=WAL has made
// the file, so that auto_vacuum stays NONE in all ten; the extended ones use the order that takes effect.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace muhur::bench {

enum class Workload {
  seed,   // 1,000 messages at once, then 100 inserts, 1,000 selects, 100 updates (bench/storage_seed.hpp)
  large,  // 20,000 messages of 3,400 bytes under a cache of 2 MB (bench/storage_large.hpp)
};
enum class Cipher { chacha20, aes256cbc, none };
enum class Order { seed, effective };  // of the PRAGMAs

struct StorageConfig {
  std::string_view name;   // on the command line and in JSON
  std::string_view label;  // for people
  Workload workload = Workload::seed;
  Cipher cipher = Cipher::chacha20;
  Order order = Order::seed;
  std::string_view auto_vacuum = "FULL";
  std::string_view synchronous = "NORMAL";
  int temp_store = 1;              // 1 file, 2 memory
  std::string_view temp_parent{};  // where temp files go; empty: beside the database
  std::optional<int> wal_autocheckpoint{};
  int cache_size = -16'000;  // KiB, negative as in the PRAGMA; better-sqlite3's default, not Debian's 2,000
  std::int64_t mmap_size = 0;
  std::uint32_t page_size = 4096;
  bool more = false;  // beyond the seed's steps: a DELETE that deletes, and VACUUM whatever the mode
};

std::span<const StorageConfig> seed_configs();
std::span<const StorageConfig> extended_configs();
// Null: there is none of that name.
const StorageConfig* find_config(std::string_view name);

}  // namespace muhur::bench

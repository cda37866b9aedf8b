#include "bench/storage_config.hpp"

#include <array>

namespace muhur::bench {
namespace {

constexpr std::array kSeed{
    StorageConfig{.name = "production", .label = "Forward Email Production"},
    StorageConfig{.name = "temp-memory", .label = "Memory Temp Storage", .temp_store = 2},
    StorageConfig{.name = "sync-off", .label = "Synchronous OFF", .synchronous = "OFF"},
    StorageConfig{.name = "sync-extra", .label = "Synchronous EXTRA", .synchronous = "EXTRA"},
    StorageConfig{.name = "auto-vacuum-none", .label = "No Auto Vacuum", .auto_vacuum = "NONE"},
    StorageConfig{
        .name = "auto-vacuum-incremental", .label = "Incremental Vacuum", .auto_vacuum = "INCREMENTAL"},
    StorageConfig{
        .name = "autocheckpoint-1000", .label = "WAL Autocheckpoint 1000", .wal_autocheckpoint = 1000},
    StorageConfig{.name = "cache-64mb", .label = "Cache Size 64MB", .cache_size = -64'000},
    StorageConfig{.name = "mmap-256mb", .label = "MMAP 256MB", .mmap_size = 268'435'456},
    StorageConfig{.name = "plain", .label = "No encryption", .cipher = Cipher::none},
};

constexpr StorageConfig extended(std::string_view name, std::string_view label) {
  return {.name = name, .label = label, .order = Order::effective, .auto_vacuum = "NONE", .more = true};
}
constexpr StorageConfig with(StorageConfig config, auto change) {
  change(config);
  return config;
}
constexpr StorageConfig large(std::string_view name, std::string_view label, Cipher cipher) {
  return with(extended(name, label), [&](StorageConfig& c) {
    c.workload = Workload::large;
    c.cipher = cipher;
    c.cache_size = -2000;
    c.wal_autocheckpoint = 0;
  });
}

constexpr std::array kExtended{
    extended("base", "ChaCha20, NORMAL, auto-vacuum NONE"),
    with(extended("base-plain", "the same unencrypted"), [](auto& c) { c.cipher = Cipher::none; }),
    with(extended("aes256cbc", "AES-256-CBC (legacy, no tags)"),
         [](auto& c) { c.cipher = Cipher::aes256cbc; }),
    with(extended("sync-full", "Synchronous FULL"), [](auto& c) { c.synchronous = "FULL"; }),
    with(extended("sync-full-plain", "Synchronous FULL, unencrypted"),
         [](auto& c) {
           c.synchronous = "FULL";
           c.cipher = Cipher::none;
         }),
    with(extended("autocheckpoint-0", "WAL autocheckpoint 0"), [](auto& c) { c.wal_autocheckpoint = 0; }),
    with(extended("autocheckpoint-10000", "WAL autocheckpoint 10,000"),
         [](auto& c) { c.wal_autocheckpoint = 10'000; }),
    with(extended("effective-full", "auto-vacuum FULL, in effect"), [](auto& c) { c.auto_vacuum = "FULL"; }),
    with(extended("effective-incremental", "auto-vacuum INCREMENTAL, in effect"),
         [](auto& c) { c.auto_vacuum = "INCREMENTAL"; }),
    with(extended("page-8192", "Pages of 8 KiB"), [](auto& c) { c.page_size = 8192; }),
    with(extended("page-16384", "Pages of 16 KiB"), [](auto& c) { c.page_size = 16'384; }),
    large("large", "82 MB, ChaCha20", Cipher::chacha20),
    large("large-plain", "82 MB, unencrypted", Cipher::none),
    large("large-aes256cbc", "82 MB, AES-256-CBC", Cipher::aes256cbc),
    with(large("large-temp-disk", "82 MB, ChaCha20, temp files in /var/tmp", Cipher::chacha20),
         [](auto& c) { c.temp_parent = "/var/tmp"; }),
    with(large("large-temp-memory", "82 MB, ChaCha20, temp files in memory", Cipher::chacha20),
         [](auto& c) { c.temp_store = 2; }),
    with(large("large-temp-shm", "82 MB, ChaCha20, temp files in /dev/shm", Cipher::chacha20),
         [](auto& c) { c.temp_parent = "/dev/shm"; }),
};

}  // namespace

std::span<const StorageConfig> seed_configs() { return kSeed; }
std::span<const StorageConfig> extended_configs() { return kExtended; }

const StorageConfig* find_config(std::string_view name) {
  for (const auto configs : {seed_configs(), extended_configs()})
    for (const StorageConfig& config : configs)
      if (config.name == name) return &config;
  return nullptr;
}

}  // namespace muhur::bench

#include "bench/storage_session.hpp"

#include <fmt/format.h>

namespace muhur::bench {
namespace {

constexpr std::string_view kPassphrase = "test-password-123";

Result<void> apply(vault::Connection& db, const StorageConfig& config) {
  if (config.order == Order::effective) {
    MUHUR_CHECK(set_pragma(db, "page_size", std::to_string(config.page_size)));
    MUHUR_CHECK(set_pragma(db, "auto_vacuum", config.auto_vacuum));
  }
  MUHUR_CHECK(set_pragma(db, "journal_mode", "WAL"));
  MUHUR_CHECK(set_pragma(db, "secure_delete", "ON"));
  MUHUR_CHECK(set_pragma(db, "auto_vacuum", config.auto_vacuum));
  MUHUR_CHECK(set_pragma(db, "busy_timeout", "30000"));
  MUHUR_CHECK(set_pragma(db, "synchronous", config.synchronous));
  MUHUR_CHECK(set_pragma(db, "foreign_keys", "ON"));
  MUHUR_CHECK(set_pragma(db, "encoding", "'UTF-8'"));
  MUHUR_CHECK(set_pragma(db, "optimize", "0x10002"));
  MUHUR_CHECK(set_pragma(db, "temp_store", std::to_string(config.temp_store)));
  if (config.wal_autocheckpoint)
    MUHUR_CHECK(set_pragma(db, "wal_autocheckpoint", std::to_string(*config.wal_autocheckpoint)));
  MUHUR_CHECK(set_pragma(db, "cache_size", std::to_string(config.cache_size)));
  if (config.mmap_size != 0) MUHUR_CHECK(set_pragma(db, "mmap_size", std::to_string(config.mmap_size)));
  return {};
}

}  // namespace

std::filesystem::path session_file(const std::filesystem::path& directory) { return directory / "bench.db"; }

Result<void> set_pragma(vault::Connection& db, std::string_view name, std::string_view value) {
  return db.exec(fmt::format("PRAGMA {}={}", name, value));
}

Result<std::unique_ptr<vault::Connection>> open_session(const StorageConfig& config,
                                                        const std::filesystem::path& directory) {
  const auto file = session_file(directory);
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    std::filesystem::remove(file.string() + suffix, ignored);
  }
  const auto temp = config.temp_parent.empty()
                        ? directory / "tmp"
                        : std::filesystem::path(config.temp_parent) / directory.filename();
  MUHUR_CHECK(vault::set_temp_directory(temp));
  const vault::Key key = vault::Key::passphrase(as_bytes(kPassphrase));
  vault::OpenOptions options{.path = file, .mode = vault::OpenMode::create, .bare = true};
  if (config.cipher == Cipher::none)
    options.stock_vfs = true;
  else
    options.key = &key;
  if (config.cipher == Cipher::aes256cbc) options.cipher = "aes256cbc";
  MUHUR_TRY(auto db, vault::Connection::open(options));
  MUHUR_CHECK(apply(*db, config));
  return db;
}

}  // namespace muhur::bench

#include "bench/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/random.hpp"
#include "bench/storage_child.hpp"
#include "bench/storage_cipher.hpp"
#include "bench/storage_large.hpp"
#include "bench/storage_seed.hpp"

namespace muhur::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kRoomNeeded = 1ULL << 30;

// Goes with everything in it, and with the folder of the same name that temp files may have elsewhere.
class Folder {
 public:
  explicit Folder(const fs::path& parent) : path_(parent / ("muhur-bench-" + random_hex(8))) {}
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    for (const StorageConfig& config : extended_configs())
      if (!config.temp_parent.empty())
        fs::remove_all(fs::path(config.temp_parent) / path_.filename(), ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

fs::path default_storage_directory() {
  const fs::path memory = "/dev/shm";
  std::error_code error;
  const auto space = fs::space(memory, error);
  return !error && space.available > kRoomNeeded ? memory : fs::temp_directory_path();
}

Result<boost::json::object> run_storage_once(std::string_view name, const fs::path& directory) {
  const StorageConfig* const config = find_config(name);
  if (!config) return fail(Code::not_found, fmt::format("no configuration is named {}", name));
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return fail_errno(error.value(), "create " + directory.string());
  return config->workload == Workload::seed ? run_seed(*config, directory) : run_large(*config, directory);
}

Result<StorageResults> run_storage(const StorageOptions& options) {
  StorageResults results(options.directory, options.rounds);
  std::mt19937 shuffle(static_cast<std::mt19937::result_type>(random_below(1u << 31)));
  std::vector<const StorageConfig*> more;
  if (options.extended)
    for (const StorageConfig& config : extended_configs()) more.push_back(&config);
  const std::uint64_t in_all = options.rounds * (seed_configs().size() + more.size());
  std::uint64_t done = 0;
  const auto measure = [&](const StorageConfig& config) -> Result<void> {
    const Folder folder(options.directory);
    MUHUR_TRY(const auto figures, run_in_child(config.name, folder.path()));
    results.add(config, figures);
    if (options.progress) options.progress(++done, in_all);
    return {};
  };
  for (std::size_t round = 0; round < options.rounds; ++round) {
    for (const StorageConfig& config : seed_configs()) MUHUR_CHECK(measure(config));
    std::shuffle(more.begin(), more.end(), shuffle);
    for (const StorageConfig* const config : more) MUHUR_CHECK(measure(*config));
  }
  MUHUR_TRY(auto cipher, run_page_cipher());
  results.set_cipher(std::move(cipher));
  return results;
}

}  // namespace muhur::bench

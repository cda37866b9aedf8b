#pragma once
// `muhur bench storage`: the seed's benchmark on this vault, then what the seed does not show.
//
// Each round of each configuration is a process of its own (this program with --one), so that none profits
// from another's warm caches or pays for its memory. The seed's configurations keep the seed's order; the
// others are shuffled anew in each round.

#include <functional>

#include "bench/storage_results.hpp"

namespace muhur::bench {

struct StorageOptions {
  std::filesystem::path directory;  // where the databases go, each round in a folder that is removed again
  std::size_t rounds = 5;
  bool extended = true;  // false: the seed's ten only
  std::function<void(std::uint64_t done, std::uint64_t in_all)> progress;
};

// Where databases are measured when nobody says: in memory, if the machine has a /dev/shm with room, so that
// figures tell of programs and not of a disk's fsync; else the temp directory.
std::filesystem::path default_storage_directory();

Result<StorageResults> run_storage(const StorageOptions& options);

// One configuration once, in this process. not_found: there is none of that name.
Result<boost::json::object> run_storage_once(std::string_view name, const std::filesystem::path& directory);

}  // namespace muhur::bench

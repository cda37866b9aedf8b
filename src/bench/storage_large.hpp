#pragma once
// What the seed's workload cannot show, because its 4 MB sit in the cache of 16 MB: 20,000 messages of 3,400
// random bytes (82 MB) under a cache of 2 MB, so that every step goes through the cipher:
//   write       20 transactions of 1,000 messages, into the WAL
//   checkpoint  the whole WAL into the file
//   scan        every page read once
//   lookup      5,000 messages by id, at random
//   index       CREATE INDEX over the 3,400 bytes: the sorter spills 68 MB to temp files
//   delete      every second message, in one transaction
//   vacuum      the file written anew through a temp database

#include <boost/json/object.hpp>
#include <filesystem>

#include "base/error.hpp"
#include "bench/storage_config.hpp"

namespace muhur::bench {

// Keys: STEP_ms and STEP_cpu_ms of each but lookup, which has lookup_{per_s,cpu_us,p99_us}; db_bytes;
// vacuum_peak_bytes: the most memory that this process had during VACUUM.
Result<boost::json::object> run_large(const StorageConfig& config, const std::filesystem::path& directory);

}  // namespace muhur::bench

#pragma once
// The seed's workload, row for row: open, PRAGMAs, tables and 1,000 messages in one transaction (setup), then
// each prepared once and run in one pass without warming up: 100 INSERTs, 1,000 SELECTs of 50 rows whose four
// columns are read, 100 UPDATEs, each in a transaction of its own, and a DELETE that finds nothing.
// Strings are built inside the timed loops, as the seed builds them.

#include <boost/json/object.hpp>
#include <filesystem>

#include "base/error.hpp"
#include "bench/storage_config.hpp"

namespace muhur::bench {

// Keys: setup_ms, setup_cpu_ms; {insert,select,update}_{per_s,cpu_us,p99_us}; delete_per_s; vacuum_ms where
// there is one; db_bytes, wal_bytes. With config.more also real_delete_ms (500 messages at once).
Result<boost::json::object> run_seed(const StorageConfig& config, const std::filesystem::path& directory);

}  // namespace muhur::bench

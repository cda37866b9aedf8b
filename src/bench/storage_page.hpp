#pragma once
// The results of `muhur bench storage` as one HTML page that needs nothing else: inline SVG, light and dark.

#include <string>

#include "bench/storage_results.hpp"

namespace muhur::bench {

std::string storage_page(const StorageResults& results);
Result<void> write_storage_page(const StorageResults& results, const std::filesystem::path& file);

}  // namespace muhur::bench

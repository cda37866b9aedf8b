#pragma once
// The secret that servers and workers share, from a file: at least 32 bytes, white space at its end not
// counted.

#include <filesystem>

#include "base/error.hpp"
#include "base/secret.hpp"

namespace muhur::passwords {

// Errors name the file. A file that others may read is refused (denied), as ssh does with keys.
Result<Secret> read_worker_secret(const std::filesystem::path& file);

}  // namespace muhur::passwords

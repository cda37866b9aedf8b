#pragma once
// Until when a certificate is valid.

#include <cstdint>
#include <filesystem>

#include "base/error.hpp"

namespace muhur::crypto {

// Seconds since 1970 of notAfter of the first certificate in a PEM file. not_found, denied, invalid.
Result<std::int64_t> certificate_expiry(const std::filesystem::path& pem_file);

}  // namespace muhur::crypto

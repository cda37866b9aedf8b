#pragma once
// A configuration that was read again beside the one that is served with.

#include <string_view>
#include <vector>

#include "server/config.hpp"

namespace muhur::server {

struct Changes {
  std::vector<std::string_view> live;           // can be taken over
  std::vector<std::string_view> after_restart;  // keys, in the order of the table
};
Changes compare(const Config& now, const Config& next);

// The fields behind keys that are `live` in server/config_keys.cpp.
void copy_live(Config& now, const Config& next);

// What a configuration names has to be usable: the certificate with its key, the server's key, the secret of
// workers, the logo. Looks at files only: neither ports nor databases. The first error.
Result<void> check_files(const Config& config);

}  // namespace muhur::server

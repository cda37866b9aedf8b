#pragma once
// A TOML file as a flat list of settings: the one door to toml++.

#include <filesystem>
#include <string>
#include <vector>

#include "server/config_keys.hpp"

namespace muhur::server {

struct Setting {
  std::string name;  // "imap.listen": the tables above it and its own name
  Value value;
  unsigned line = 0;
};

// In the order of the names. invalid names file and line; not_found names the file.
Result<std::vector<Setting>> read_toml(const std::filesystem::path& file);

}  // namespace muhur::server

#pragma once
// A directory that goes with the test.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.hpp"

namespace muhur::server {

struct TempDirectory {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("muhur-server-" + random_hex(8));
  TempDirectory() { std::filesystem::create_directories(path); }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

inline std::filesystem::path write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace muhur::server

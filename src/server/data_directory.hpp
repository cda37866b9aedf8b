#pragma once
// Making a data directory: DATA with server.key, directory.db, a certificate and a configuration file.

#include <filesystem>
#include <map>
#include <string>

#include "server/config.hpp"

namespace muhur::server {

struct NewDataDirectory {
  std::filesystem::path directory;
  std::string domain;
  std::string host_name;                        // in the certificate; empty: the system's
  std::map<std::string, std::string> settings;  // TOML values for the file, by key
};

// All or an error; an existing DATA/server.key or DATA/muhur.toml is never written over (exists). Returns
// the path of the configuration file.
Result<std::filesystem::path> create_data_directory(const NewDataDirectory& wanted);

// Writes `text` to a new file with `mode`, synced; exists when there is one already.
Result<void> write_new_file(const std::filesystem::path& file, std::string_view text, unsigned mode);

// DATA with its folders mail/, tmp/ and run/, each 0700. Says what is wrong when DATA cannot be written.
Result<void> prepare_directories(const std::filesystem::path& data);

// Sends SQLite's temporary files, and those of libraries, to DATA/tmp.
void use_temp_directory(const std::filesystem::path& data);

}  // namespace muhur::server

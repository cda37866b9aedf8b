#pragma once
// DATA/backup.json: when each database was last copied, and whether the copy was read back. Written by
// `muhur db backup`, read by `muhur doctor`. Names and numbers only.
//
//   {"backups":[{"database":"directory.db","at_ms":1,"pages":9,"bytes":36864,"verified":true}]}

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace muhur::server {

struct BackupRecord {
  std::string database;  // the file's name without its directory
  std::int64_t at_ms = 0;
  std::uint64_t pages = 0, bytes = 0;
  bool verified = false;  // every page of the copy was read back
};

// In place of the record of the same database. The file is replaced as a whole.
Result<void> note_backup(const std::filesystem::path& data, const BackupRecord& record);
// Empty when none was ever noted; corrupt when the file is not such a record.
Result<std::vector<BackupRecord>> read_backup_records(const std::filesystem::path& data);

}  // namespace muhur::server

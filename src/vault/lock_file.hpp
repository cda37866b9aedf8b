#pragma once
// Who may write a database: the holder of an flock on FILE-lock beside it. The lock goes with the process,
// however that ends; the file itself is removed by an orderly release and harmless when left behind. It
// holds the owner's process id, for the message to whoever comes second.
//
// A file of its own and not the database: closing any descriptor of the database would drop the POSIX
// locks that SQLite holds on it in this process.

#include <filesystem>

#include "base/error.hpp"

namespace muhur::vault {

class LockFile {
 public:
  // busy: another process, or another object of this process, holds it. Does not wait.
  static Result<LockFile> acquire(const std::filesystem::path& database);
  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

 private:
  LockFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path path_;
  int fd_;
};

}  // namespace muhur::vault

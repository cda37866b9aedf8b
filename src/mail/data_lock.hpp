#pragma once
// One process at a time on a data directory: DATA/lock is locked (flock) as long as this lives.

#include <filesystem>

#include "base/error.hpp"

namespace muhur::mail {

class DataLock {
 public:
  // busy: another process has the directory.
  static Result<DataLock> take(const std::filesystem::path& data);
  DataLock(DataLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  DataLock& operator=(DataLock&&) = delete;
  ~DataLock();

 private:
  explicit DataLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace muhur::mail

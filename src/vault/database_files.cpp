#include "vault/database_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace muhur::vault {
namespace {

Result<void> flush(const std::filesystem::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return fail_errno(errno, fmt::format("open {}", path.string()));
  const int rc = ::fsync(fd);
  const int error = errno;
  ::close(fd);
  if (rc != 0) return fail_errno(error, fmt::format("flush {}", path.string()));
  return {};
}

}  // namespace

void remove_database(const std::filesystem::path& path) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    std::filesystem::remove(path.string() + suffix, ignored);
  }
}

Result<void> flush_file(const std::filesystem::path& path) { return flush(path, O_RDONLY); }
Result<void> flush_directory(const std::filesystem::path& path) {
  return flush(path, O_RDONLY | O_DIRECTORY);
}

}  // namespace muhur::vault

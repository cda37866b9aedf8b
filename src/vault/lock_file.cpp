#include "vault/lock_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

namespace muhur::vault {
namespace {

// Another owner may have removed the file between our open and our lock: then we hold a lock that nobody
// else will ever see.
bool still_there(int fd, const std::filesystem::path& path) {
  struct stat held{}, named{};
  return ::fstat(fd, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

std::string owner_of(int fd) {
  std::array<char, 16> text{};
  const auto size = ::pread(fd, text.data(), text.size(), 0);
  int pid = 0;
  if (size > 0) std::from_chars(text.data(), text.data() + size, pid);
  return pid > 0 ? fmt::format("process {}", pid) : "another process";
}

}  // namespace

Result<LockFile> LockFile::acquire(const std::filesystem::path& database) {
  std::filesystem::path path = database.string() + "-lock";
  while (true) {
    const int fd = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) return fail_errno(errno, fmt::format("open {}", path.string()));
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string owner = owner_of(fd);
      ::close(fd);
      if (error == EINTR) continue;
      if (error != EWOULDBLOCK) return fail_errno(error, fmt::format("lock {}", path.string()));
      return fail(Code::busy, fmt::format("{} is in use by {}", database.string(), owner),
                  "Stop the other program first");
    }
    if (!still_there(fd, path)) {
      ::close(fd);
      continue;
    }
    const std::string pid = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) < 0) {
      const int error = errno;
      ::close(fd);
      if (error != ENOSPC && error != EDQUOT)
        return fail_errno(error, fmt::format("write {}", path.string()));
      return fail(Code::no_space, fmt::format("cannot write {}: the disk is full", path.string()),
                  "Free some space");
    }
    return LockFile(std::move(path), fd);
  }
}

LockFile::LockFile(LockFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

LockFile::~LockFile() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());  // while the lock is held: see still_there()
  ::close(fd_);
}

}  // namespace muhur::vault

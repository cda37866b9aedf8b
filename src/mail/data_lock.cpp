#include "mail/data_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace muhur::mail {

Result<DataLock> DataLock::take(const std::filesystem::path& data) {
  const auto path = data / "lock";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return fail_errno(errno, "open " + path.native());
  DataLock lock(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, "lock " + path.native());
    return fail(Code::busy, fmt::format("another muhur process uses the data directory {}", data.native()),
                "Ask the running server through its admin socket, or stop it first");
  }
  return lock;
}

DataLock::~DataLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace muhur::mail

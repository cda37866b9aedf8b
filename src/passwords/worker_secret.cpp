#include "passwords/worker_secret.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "passwords/wire.hpp"

namespace muhur::passwords {
namespace {

constexpr std::size_t kMostSecret = 1'024;

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

Result<Secret> read_worker_secret(const std::filesystem::path& file) {
  const Descriptor in{open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (in.fd < 0) return fail_errno(errno, "open " + file.string());
  struct stat info{};
  if (fstat(in.fd, &info) != 0) return fail_errno(errno, "look at " + file.string());
  if ((info.st_mode & 07) != 0)
    return fail(Code::denied, file.string() + " can be read or written by everyone", "Run chmod 600 on it");
  Secret buffer(kMostSecret + 1);
  std::size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t n = read(in.fd, buffer.writable().data() + size, buffer.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno(errno, "read " + file.string());
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  if (size > kMostSecret) return fail(Code::limit, file.string() + " is too long for a secret");
  const auto is_space = [](Byte b) { return b == ' ' || b == '\n' || b == '\r' || b == '\t'; };
  while (size > 0 && is_space(buffer.data()[size - 1])) --size;
  if (size < kLeastWorkerSecret)
    return fail(Code::invalid, fmt::format("{} has fewer than {} bytes", file.string(), kLeastWorkerSecret),
                "Make one with: openssl rand -base64 48");
  return buffer.slice(0, size);
}

}  // namespace muhur::passwords

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "accounts/directory.hpp"

namespace muhur::accounts {
namespace {

constexpr std::size_t kSize = 32;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// A key that is lost with the power takes every mailbox's directory with it: file and name go to the disk.
Result<void> write_durably(int fd, const std::filesystem::path& file, const Secret& key) {
  std::size_t done = 0;
  while (done < key.size()) {
    const ssize_t wrote = ::write(fd, key.data() + done, key.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail_errno(errno, fmt::format("write {}", file.string()));
    done += static_cast<std::size_t>(wrote);
  }
  if (::fsync(fd) != 0) return fail_errno(errno, fmt::format("sync {}", file.string()));
  const auto parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::fsync(directory.get()) != 0)
    return fail_errno(errno, fmt::format("sync the directory {}", parent.string()));
  return {};
}

// systemd hands credentials out in a directory that only the service can enter; their mode bits show the
// mask of an access list, not who can read.
bool is_systemd_credential(const std::filesystem::path& file) {
  const char* directory = std::getenv("CREDENTIALS_DIRECTORY");
  return directory != nullptr && file.parent_path() == std::filesystem::path(directory);
}

}  // namespace

Result<Secret> create_server_key(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fd.get() < 0) {
    if (errno == EEXIST)
      return fail(Code::exists, fmt::format("{} exists already", file.string()),
                  "It may be the only key to existing data: keep it, or move it away if it surely is not");
    return fail_errno(errno, fmt::format("create {}", file.string()));
  }
  Secret key = Secret::random(kSize);
  if (auto written = write_durably(fd.get(), file, key); !written) {
    ::unlink(file.c_str());
    return std::unexpected(std::move(written).error());
  }
  return key;
}

Result<Secret> read_server_key(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return fail_errno(errno, fmt::format("open the server key {}", file.string()));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, fmt::format("look at {}", file.string()));
  if (!S_ISREG(info.st_mode)) return fail(Code::invalid, fmt::format("{} is not a file", file.string()));
  if ((info.st_mode & 077) != 0 && !is_systemd_credential(file))
    return fail(Code::invalid, fmt::format("the server key {} can be read by others", file.string()),
                fmt::format("Run: chmod 600 {}", file.string()));
  Secret key(kSize + 1);  // one more, to see that nothing follows
  std::size_t have = 0;
  while (have < key.size()) {
    const ssize_t got = ::read(fd.get(), key.writable().data() + have, key.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, fmt::format("read {}", file.string()));
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  if (have != kSize)
    return fail(Code::corrupt, fmt::format("the server key {} does not have {} bytes", file.string(), kSize),
                "Restore the file from where you keep its copy");
  return key.slice(0, kSize);
}

}  // namespace muhur::accounts
